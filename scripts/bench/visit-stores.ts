import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { runToEnd } from './measured-script.ts'
import { conditionsText, describeMachine, type Machine, numberOption } from './report.ts'
import type { Recorded, RecordSettings } from './visit-stores/record-visits.ts'

interface Flags {
  database: string
  visits: number
  pages: number
  rounds: number
  seed: number
  json?: boolean
}

interface Figures {
  store: 'SQLite' | 'PostgreSQL'
  /** Visits per second in each round. */
  rates: number[]
  /** Median. */
  rate: number
}

/** As an import has it. */
const viewsPerBatch = 600_000
const minShare = 0.5

export function visitStoresCommand(): Command {
  return new Command('visit-stores')
    .description('compare imports of visits into SQLite and into PostgreSQL; check that the answers are equal')
    .addOption(
      new Option('--database <url>', 'database of PostgreSQL, which keeps empty projects')
        .env('QUIRE_BENCH_DATABASE')
        .makeOptionMandatory(),
    )
    .addOption(numberOption('--visits', 'page views', 4_000_000, [1, 200_000_000]))
    .addOption(numberOption('--pages', 'pages of the site', 10_000, [1, 30_000]))
    .addOption(numberOption('--rounds', 'imports into each store', 3, [1, 100]))
    .addOption(numberOption('--seed', 'seed of the generated traffic', 1, [1, 2 ** 31]))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Records the same visits of 400 days in both stores, alternately, in batches as an import has them, each in a new process. The time of
generating is left out. Exit code 1 if an answer differs, or if PostgreSQL is below half of SQLite.

Examples:
  npm run bench -- visit-stores --database postgres://quire@127.0.0.1/bench
  npm run bench -- visit-stores --database postgres://quire@127.0.0.1/bench --visits 500000 --rounds 1 --json`,
    )
    .action(run)
}

async function run({ json, database, rounds, ...plan }: Flags): Promise<void> {
  const loadAverage = loadavg()[0] ?? 0
  const figures: Figures[] = [
    { store: 'SQLite', rates: [], rate: 0 },
    { store: 'PostgreSQL', rates: [], rate: 0 },
  ]
  let want: string | undefined
  for (let round = 1; round <= rounds; round++) {
    for (const { store, rates } of figures) {
      process.stderr.write(`Round ${round} of ${rounds}: ${store} ...\n`)
      const { seconds, answers } = await record({
        ...plan,
        viewsPerBatch,
        database: store === 'SQLite' ? null : database,
      })
      rates.push(plan.visits / seconds)
      const got = JSON.stringify(answers)
      want ??= got
      if (got !== want) throw new OperatorError(`The answers of ${store} differ.`)
    }
  }
  for (const each of figures) each.rate = each.rates.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number
  const [sqlite, postgres] = figures.map(({ rate }) => rate) as [number, number]
  const share = postgres / sqlite
  const report = {
    machine: describeMachine(loadAverage),
    plan: { ...plan, rounds },
    figures,
    share,
  }
  console.log(json ? JSON.stringify(report, undefined, 2) : toText(report))
  if (share < minShare)
    throw new OperatorError(`PostgreSQL records ${share.toFixed(2)} of SQLite; the goal is ${minShare}.`)
}

async function record(settings: Omit<RecordSettings, 'dataFolder'>): Promise<Recorded> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-bench-visit-stores-'))
  try {
    const script = join(import.meta.dirname, 'visit-stores/record-visits.ts')
    const args = [script, JSON.stringify({ ...settings, dataFolder })]
    const run = await runToEnd(process.execPath, args, { logFile: join(dataFolder, 'log'), folder: dataFolder })
    return JSON.parse(run.stdout)
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

function toText({
  plan,
  figures,
  share,
  machine,
}: {
  plan: { visits: number }
  figures: Figures[]
  share: number
  machine: Machine
}): string {
  const lines = figures.map(
    ({ store, rate }) => `${store.padEnd(12)}${Math.round(rate).toLocaleString('en-US')} visits/s`,
  )
  return [
    `${plan.visits.toLocaleString('en-US')} visits`,
    ...lines,
    `share       ${share.toFixed(2)}`,
    conditionsText(machine),
  ].join('\n')
}
