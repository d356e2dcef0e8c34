import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { publishedOperators } from '../server/analytics/import/agent-ranges.ts'
import { OperatorError } from '../server/base/operator-error.ts'
import { type Extract, extract } from './agents/extract.ts'
import { type ProxyRanges, type RangeUpdate, updateOperators, updateRanges } from './agents/ranges.ts'
import { fetchSnapshot, readSnapshot, type Snapshot } from './agents/upstream.ts'
import { runProgram } from './run-program.ts'

const folder = join(import.meta.dirname, '..', 'server', 'analytics', 'agents')
const rangesFolder = join(folder, '..', 'import')

interface Flags {
  file?: string
  release?: string
  date?: string
  to: string
  ranges?: boolean
}

const program = new Command('npm run -s update-agents --')
  .description('Update the names of AI agents from ai.robots.txt (MIT), or the addresses of agents and proxies.')
  .option('--file <file>', 'read this robots.json or robots.txt instead of fetching the newest version')
  .option('--release <text>', 'commit of the file, or its package and version')
  .option('--date <date>', 'date of the release, such as 2026-08-22')
  .option('--to <file>', 'write to another file, for review', join(folder, 'ai-robots-txt.json'))
  .option('--ranges', 'fetch the addresses that the operators of agents and CDNs publish, instead of the names')
  .addHelpText(
    'after',
    `
Examples:
  npm run -s update-agents
  npm run -s update-agents -- --ranges
  npm run -s update-agents -- --file robots.json --release 738c80df2169027ce0e07c9976fd3f2f57dd8f7b --date 2026-08-22
  npm run -s update-agents -- --file robots.txt --release 'astro-ai-robots-txt 0.1.5' --date 2026-07-30

Then write the date into server/docs/pages/visitors.md, and run npm test. The tests check the lists with a thousand labelled
user agents.`,
  )
  .exitOverride()
  .action(async ({ to, ranges, ...flags }: Flags) => {
    if (ranges) return updateAddresses()
    const { robots, release, day } = await takeSnapshot(flags)
    const { agents, leftOut } = extract(robots, await readDecided())
    const result: Extract = { asOf: day, release, agents, leftOut }
    await writeFile(to, `${JSON.stringify(result, null, 2)}\n`)
    console.log(`Wrote ${agents.length} agents of ${day} to ${to}. Left out:`)
    for (const { token, reason } of leftOut) console.log(`  ${token}: ${reason}`)
    console.log('Now write the date into server/docs/pages/visitors.md, and run: npm test')
  })

/** Fetches all lists of addresses. Those that cannot be fetched stay as they are, and the command fails. */
async function updateAddresses(): Promise<void> {
  const options = { fetcher: fetch, day: new Date().toISOString().slice(0, 10) }
  const agents = await updateOperators(publishedOperators, options)
  await replaceIn('agent-ranges.json', { operators: agents.operators })
  const { proxies } = JSON.parse(await readFile(join(rangesFolder, 'proxies.json'), 'utf8')) as {
    proxies: ProxyRanges[]
  }
  const fetched = proxies.filter(({ isPage }) => !isPage)
  const cdns = await updateRanges(
    fetched.map(list => ({ name: list.name, list, service: list.service })),
    options,
  )
  await replaceIn('proxies.json', { proxies: [...cdns.lists, ...proxies.filter(({ isPage }) => isPage)] })
  for (const update of [...agents.updates, ...cdns.updates]) console.log(describe(update))
  for (const { name, source } of proxies.filter(({ isPage }) => isPage))
    console.log(`${name}: read ${source} yourself.`)
  const failed = [...agents.updates, ...cdns.updates].filter(({ problem }) => problem !== undefined).length
  if (failed > 0) throw new OperatorError(`${failed} lists could not be fetched; they stay as they are.`)
}

function describe({ name, ranges, added, removed, problem }: RangeUpdate): string {
  return problem === undefined
    ? `${name}: ${ranges} ranges, ${added} new, ${removed} gone.`
    : `${name}: unchanged. ${problem}.`
}

async function replaceIn(file: string, changed: object): Promise<void> {
  const path = join(rangesFolder, file)
  const before = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, `${JSON.stringify({ ...before, ...changed }, null, 2)}\n`)
}

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
