import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { describeMachine } from './http/report.ts'
import { installPeers } from './peers.ts'
import { installGoAccess } from './visitors/goaccess.ts'
import { judge } from './visitors/goals.ts'
import type { Peer, Plan } from './visitors/plan.ts'
import { type Report, visitorsText } from './visitors/report.ts'
import { runPlan } from './visitors/run.ts'

interface Flags {
  lines: number
  visits: number
  visitsOnly?: boolean
  pages: number
  repeats: number
  seed: number
  peer?: (Peer | 'none')[]
  folder: string
  keep?: boolean
  json?: boolean
}

const peerNames = ['goaccess', 'duckdb', 'none'] as const

export function visitorsCommand(): Command {
  const number = (flags: string, description: string, env: string, fallback: number, least: number, most: number) =>
    new Option(flags, description).env(env).default(fallback).argParser(integer(least, most))
  return new Command('visitors')
    .description('compare imports of visits with GoAccess, and queries with DuckDB; check every answer')
    .addOption(number('--lines <number>', 'lines of the log', 'QUIRE_BENCH_LINES', 10_000_000, 1000, 200_000_000))
    .addOption(
      number(
        '--visits <number>',
        'page views in the queried data',
        'QUIRE_BENCH_VISITS',
        10_000_000,
        1000,
        200_000_000,
      ),
    )
    .addOption(new Option('--visits-only', 'do not write or import a log').env('QUIRE_BENCH_VISITS_ONLY'))
    .addOption(number('--pages <number>', 'pages of the site', 'QUIRE_BENCH_PAGES', 10_000, 1, 30_000))
    .addOption(number('--repeats <number>', 'queries for each range length and page', 'QUIRE_BENCH_REPEATS', 12, 1, 18))
    .addOption(number('--seed <number>', 'seed of the generated traffic', 'QUIRE_BENCH_SEED', 1, 0, 2 ** 31))
    .addOption(
      new Option('--peer <name>', 'compare only with goaccess, duckdb, or none; may be repeated')
        .env('QUIRE_BENCH_PEER')
        .argParser((text: string, before: string[] = []) => [...before, ...text.split(/[\s,]+/).map(readPeer)]),
    )
    .addOption(
      new Option('--folder <folder>', 'folder for the log and the databases: 400 bytes per line or visit')
        .env('QUIRE_BENCH_FOLDER')
        .default(tmpdir()),
    )
    .addOption(new Option('--keep', 'keep these files and print their folder').env('QUIRE_BENCH_KEEP'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Writes a log of 400 days, and imports it with quire visits import and with GoAccess. Then generates visits, and queries
different ranges of 7 days, 30 days, a year and odd lengths in Quire, in DuckDB and over HTTP. Compares the answers with the
correct counts from the generator, for every page and ten ranges. Exit code 1 if Quire misses a goal or a count differs.

Examples:
  npm run bench -- visitors
  npm run bench -- visitors --lines 200000 --visits 200000
  npm run bench -- visitors --lines 100000000 --visits 100000000 --peer none --folder /var/tmp
  npm run bench -- visitors --visits-only --peer duckdb --json > figures.json`,
    )
    .action(run)
}

async function run({ json, keep, folder, visitsOnly, peer, ...flags }: Flags): Promise<void> {
  const peers = peer ?? ['goaccess', 'duckdb']
  const plan: Plan = {
    ...flags,
    lines: visitsOnly ? 0 : flags.lines,
    peers: (['goaccess', 'duckdb'] as const).filter(name => peers.includes(name)),
  }
  const scratch = createScratch(folder)
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!keep) process.once('exit', remove) // after a signal, `finally` does not run
  if (plan.peers.includes('duckdb')) await installPeers()
  if (plan.peers.includes('goaccess') && plan.lines > 0) await installGoAccess(scratch)
  const loadAverage = loadavg()[0] ?? 0
  const startedAt = performance.now()
  const results = await runPlan(plan, scratch, text => void process.stderr.write(`${text}\n`))
  const report: Report = {
    at: new Date().toISOString(),
    command: ['npm run bench --', ...process.argv.slice(2).filter(arg => !arg.includes('/'))].join(' '),
    machine: describeMachine(loadAverage),
    plan,
    seconds: (performance.now() - startedAt) / 1000,
    ...results,
    goals: judge(results),
  }
  console.log(json ? JSON.stringify(report, undefined, 2) : visitorsText(report))
  if (keep) process.stderr.write(`The files are in ${scratch}\n`)
  const missed = report.goals.filter(({ isMet }) => isMet === false)
  if (missed.length > 0) throw new OperatorError(`Quire misses ${missed.length} of ${report.goals.length} goals.`)
}

function createScratch(folder: string): string {
  try {
    return mkdtempSync(join(resolve(folder), 'quire-visitors-'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`--folder ${folder} cannot be used (${code}). Give an existing writable folder.`, 2)
  }
}

function readPeer(name: string): string {
  if (peerNames.some(known => known === name)) return name
  throw new OperatorError(`--peer ${name} is unknown. It is one of ${peerNames.join(', ')}.`, 2)
}
