import { resolve } from 'node:path'
import { Command, type Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import type { Config } from '../config.ts'
import { readConfig, type ServeFlags, serveSettings } from '../flags/serve-settings.ts'
import {
  addSettings,
  type FlagsOf,
  isBoolean,
  readBoolean,
  readBooleanVariables,
  type Settings,
} from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import type { Setting } from './doctor/check-settings.ts'
import { examine } from './doctor/examine.ts'
import type { Finding } from './doctor/finding.ts'
import { printJson } from './print.ts'
import { wrapProse } from './prose.ts'
import { outputWidth } from './table.ts'

const marks: Record<Finding['level'], string> = { ok: 'ok', warning: 'warning', failure: 'FAILURE' }
const markWidth = 9
const checkWidth = 13

const settings = {
  data: shared.data,
  // Without variables, so that a wrong one becomes a finding.
  bundles: {
    flag: '--bundles <url>',
    what: 'check the bundles in S3-compatible storage (default: QUIRE_BUNDLES)',
    read: shared.bundles.read,
  },
  database: {
    flag: '--database <url>',
    what: 'check a PostgreSQL database (default: QUIRE_DATABASE)',
    read: shared.database.read,
  },
  allowNoSandbox: {
    flag: '--allow-no-sandbox',
    what: 'start Chromium as a server with this flag (default: QUIRE_ALLOW_NO_SANDBOX)',
  },
  json: shared.json,
} as const satisfies Settings

type DoctorFlags = FlagsOf<typeof settings>

/** @param loadCommands returns the commands whose settings are known. */
export function doctorCommand(loadCommands: () => Promise<Command[]>): Command {
  const command = new Command('doctor').description(
    'check settings, disk, permissions, databases, bundles, followed logs, clock, links, confinement, AI agents and browser',
  )
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire doctor
  npx quire doctor --data /var/lib/quire --json

Run it as the user of the server and with the environment of the server. It changes nothing, and can run beside the
server. Large databases of visits take a while. It exits with 1 if something fails; a warning does not count.`,
    )
    .action(async ({ data, database, bundles, allowNoSandbox, json }: DoctorFlags) => {
      const findings = await examine({
        dataFolder: resolve(data),
        bundles,
        database,
        allowNoSandbox,
        env: process.env,
        settings: (await loadCommands()).flatMap(listOptions).map(toSetting),
        readServer,
        now: Date.now,
      })
      const failures = findings.filter(({ level }) => level === 'failure').length
      if (json) printJson({ healthy: failures === 0, findings })
      else for (const finding of findings) console.log(describe(finding))
      if (failures > 0) throw new OperatorError(`${failures} ${failures === 1 ? 'check' : 'checks'} failed.`)
    })
}

function listOptions(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(listOptions)]
}

function toSetting(option: Option): Setting {
  return { envVar: option.envVar, parseArg: isBoolean(option) ? readBoolean : option.parseArg }
}

/** Reads the settings of the server from the environment alone. */
function readServer(): Config {
  const command = new Command('serve').exitOverride().configureOutput({ writeErr: () => {} })
  addSettings(command, serveSettings)
  readBooleanVariables(command.parse([], { from: 'user' }))
  return readConfig(command.opts<ServeFlags & Record<string, unknown>>())
}

function describe({ level, check, message, remedy }: Finding): string {
  const indent = ' '.repeat(markWidth + checkWidth)
  const width = outputWidth() - indent.length
  const lines = [message, ...(remedy === null ? [] : [`Remedy: ${remedy}`])].flatMap(text => wrapProse(text, width))
  const head = marks[level].padEnd(markWidth) + check.padEnd(checkWidth)
  return lines.map((line, index) => (index === 0 ? head : indent) + line).join('\n')
}
