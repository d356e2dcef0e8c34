import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { type Extract, extract } from './agents/extract.ts'
import { fetchSnapshot, readSnapshot, type Snapshot } from './agents/upstream.ts'
import { runProgram } from './run-program.ts'

const folder = join(import.meta.dirname, '..', 'server', 'analytics', 'agents')

interface Flags {
  file?: string
  release?: string
  date?: string
  to: string
}

const program = new Command('npm run -s update-agents --')
  .description('Update the second classification list with the names of AI agents from ai.robots.txt (MIT).')
  .option('--file <file>', 'read this robots.json or robots.txt instead of fetching the newest version')
  .option('--release <text>', 'commit of the file, or its package and version')
  .option('--date <date>', 'date of the release, such as 2026-08-22')
  .option('--to <file>', 'write to another file, for review', join(folder, 'ai-robots-txt.json'))
  .addHelpText(
    'after',
    `
Examples:
  npm run -s update-agents
  npm run -s update-agents -- --file robots.json --release 738c80df2169027ce0e07c9976fd3f2f57dd8f7b --date 2026-08-22
  npm run -s update-agents -- --file robots.txt --release 'astro-ai-robots-txt 0.1.5' --date 2026-07-30

Then write the date into server/docs/pages/visitors.md, and run npm test. The tests check the lists with a thousand labelled
user agents.`,
  )
  .exitOverride()
  .action(async ({ to, ...flags }: Flags) => {
    const { robots, release, day } = await takeSnapshot(flags)
    const { agents, leftOut } = extract(robots, await readDecided())
    const result: Extract = { asOf: day, release, agents, leftOut }
    await writeFile(to, `${JSON.stringify(result, null, 2)}\n`)
    console.log(`Wrote ${agents.length} agents of ${day} to ${to}. Left out:`)
    for (const { token, reason } of leftOut) console.log(`  ${token}: ${reason}`)
    console.log('Now write the date into server/docs/pages/visitors.md, and run: npm test')
  })

async function takeSnapshot({ file, release, date }: Omit<Flags, 'to'>): Promise<Snapshot> {
  if (file === undefined) {
    return fetchSnapshot().catch((error: Error) => {
      throw new OperatorError(
        `Cannot fetch the list (${error.message}). Download robots.json yourself and pass it with --file FILE.`,
      )
    })
  }
  if (release === undefined || date === undefined) {
    throw new OperatorError('--file needs --release RELEASE and --date DATE.', 2)
  }
  return readSnapshot(file, release, date)
}

async function readDecided(): Promise<Map<string, string>> {
  const { notAi } = JSON.parse(await readFile(join(folder, 'ai-agents.json'), 'utf8'))
  return new Map(
    (notAi as { token: string; reason: string; decided: string }[]).map(({ token, reason, decided }) => [
      token.toLowerCase(),
      `${reason} (decided ${decided})`,
    ]),
  )
}

await runProgram(program)
