import { resolve } from 'node:path'
import { Command, type Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import type { Config } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { readConfig, type ServeFlags, serveOptions } from '../flags/serve-options.ts'
import { printJson } from './print.ts'

const marks: Record<Finding['level'], string> = { ok: 'ok', warning: 'warning', failure: 'FAILURE' }
const markWidth = 9
const checkWidth = 13
const usualColumns = 80

/** @param loadCommands returns the commands whose settings are known. */
export function doctorCommand(loadCommands: () => Promise<Command[]>): Command {
  return new Command('doctor')
    .description('check settings, disk, permissions, databases, clock, links and browser')
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npx quire doctor
  npx quire doctor --data /var/lib/quire --json

Run it as the user of the server and with the environment of the server. It changes nothing, and can run beside the
server. Large databases of visits take a while. It exits with 1 if something fails; a warning does not count.`,
    )
    .action(async ({ data, json }: { data: string; json?: boolean }) => {
      const findings = await examine({
        dataFolder: resolve(data),
        env: process.env,
        settings: (await loadCommands()).flatMap(listOptions),
        readServer,
        now: Date.now,
      })
      const failures = findings.filter(({ level }) => level === 'failure').length
      if (json) printJson({ healthy: failures === 0, findings })
      else for (const finding of findings) console.log(describe(finding, process.stdout.columns ?? usualColumns))
      if (failures > 0) throw new OperatorError(`${failures} ${failures === 1 ? 'check' : 'checks'} failed.`)
    })
}

function listOptions(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(listOptions)]
}

/** Reads the settings of the server from the environment alone. */
function readServer(): Config {
  const command = new Command('serve').exitOverride().configureOutput({ writeErr: () => {} })
  for (const option of serveOptions()) command.addOption(option)
  return readConfig(command.parse([], { from: 'user' }).opts<ServeFlags & Record<string, unknown>>())
}

function describe({ level, check, message, remedy }: Finding, columns: number): string {
  const indent = ' '.repeat(markWidth + checkWidth)
  const lines = wrap(message, columns - indent.length - 1)
  const rest = remedy === null ? [] : wrap(`Remedy: ${remedy}`, columns - indent.length - 1)
  const [first = '', ...more] = [...lines, ...rest]
  return [marks[level].padEnd(markWidth) + check.padEnd(checkWidth) + first, ...more.map(line => indent + line)].join(
    '\n',
  )
}

/** Breaks a text at spaces. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
