import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { installDebian } from './export/make-site.ts'
import { createData } from './http/data.ts'
import { describeMachine, numberOption } from './report.ts'
import { judge, type Results } from './visitors/goals.ts'
import { measureHttp } from './visitors/http-part.ts'
import { measureImport } from './visitors/import-part.ts'
import type { Plan } from './visitors/plan.ts'
import { type Report, visitorsText } from './visitors/report.ts'
import { measureVisits } from './visitors/visits-part.ts'

interface Flags {
  lines: number
  visits: number
  visitsOnly?: boolean
  pages: number
  repeats: number
  seed: number
  goaccess: boolean
  folder: string
  keep?: boolean
  json?: boolean
}

const agentJobs = 1000

export function visitorsCommand(): Command {
  return new Command('visitors')
    .description('compare imports of visits with GoAccess, and measure queries; check every answer')
    .addOption(numberOption('--lines', 'lines of the log', 10_000_000, [1000, 200_000_000]))
    .addOption(numberOption('--visits', 'page views in the queried data', 10_000_000, [1000, 200_000_000]))
    .addOption(new Option('--visits-only', 'do not write or import a log').env('QUIRE_BENCH_VISITS_ONLY'))
    .addOption(numberOption('--pages', 'pages of the site', 10_000, [1, 30_000]))
    .addOption(numberOption('--repeats', 'queries for each range length and page', 12, [1, 18]))
    .addOption(numberOption('--seed', 'seed of the generated traffic', 1, [0, 2 ** 31]))
    .addOption(new Option('--no-goaccess', 'do not compare with GoAccess').env('QUIRE_BENCH_NO_GOACCESS'))
    .addOption(
      new Option('--folder <folder>', 'folder for the log and the databases: 400 bytes per line or visit')
        .env('QUIRE_BENCH_FOLDER')
        .default(tmpdir()),
    )
    .addOption(new Option('--keep', 'keep these files and print their folder').env('QUIRE_BENCH_KEEP'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Writes a log of 400 days, and imports it with quire visits import and with GoAccess. Then generates visits, and queries
different ranges of 7 days, 30 days, a year and odd lengths over HTTP. Compares the answers with the correct counts from the
generator, for every page and ten ranges. Exit code 1 if Quire misses a goal or a count differs.

Examples:
  npm run bench -- visitors
  npm run bench -- visitors --lines 200000 --visits 200000
  npm run bench -- visitors --lines 100000000 --visits 100000000 --no-goaccess --folder /var/tmp
  npm run bench -- visitors --visits-only --json > figures.json`,
    )
    .action(run)
}

async function run({ json, keep, folder, visitsOnly, goaccess, ...flags }: Flags): Promise<void> {
  const plan: Plan = {
    ...flags,
    lines: visitsOnly ? 0 : flags.lines,
    withGoAccess: goaccess,
  }
  const scratch = createScratch(folder)
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!keep) process.once('exit', remove) // after a signal, `finally` does not run
  if (goaccess && plan.lines > 0) await installDebian(['goaccess'], '/usr/bin/goaccess', scratch)
  const loadAverage = loadavg()[0] ?? 0
  const startedAt = performance.now()
  const results: Results = {}
  const print = (isFinished: boolean) => {
    const report: Report = {
      command: ['npm run bench --', ...process.argv.slice(2).filter(arg => !arg.includes('/'))].join(' '),
      machine: describeMachine(loadAverage),
      plan,
      seconds: (performance.now() - startedAt) / 1000,
      isFinished,
      ...results,
      goals: judge(results),
    }
    console.log(json ? JSON.stringify(report, undefined, 2) : visitorsText(report))
    if (keep) process.stderr.write(`The files are in ${scratch}\n`)
    return report.goals
  }
  // A run of hours can fail in its last part; the figures of the others are worth printing, also after a signal.
  const printParts = () => void print(false)
  process.once('exit', printParts)
  await runPlan(plan, scratch, results, text => void process.stderr.write(`${text}\n`))
  process.off('exit', printParts)
  const goals = print(true)
  const missed = goals.filter(({ isMet }) => isMet === false)
  if (missed.length > 0) throw new OperatorError(`Quire misses ${missed.length} of ${goals.length} goals.`)
}

function createScratch(folder: string): string {
  try {
    return mkdtempSync(join(resolve(folder), 'quire-visitors-'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`--folder ${folder} cannot be used (${code}). Give an existing writable folder.`, 2)
  }
}

/** Runs all parts one after the other, and adds each to the results when it is measured; their files stay in `scratch`. */
async function runPlan(
  plan: Plan,
  scratch: string,
  results: Results,
  onProgress: (text: string) => void,
): Promise<void> {
  const log = join(scratch, 'access.log')
  if (plan.lines > 0) results.import = await measureImport(plan, { log, scratch, onProgress })
  const data = join(scratch, 'visits')
  const bench = await createData(data, agentJobs)
  const projectId = bench.projectIds[0] as string
  const { visits, exams } = await measureVisits(plan, { data, projectId, scratch, onProgress })
  results.visits = visits
  const written = results.import && { log: { file: log, lines: results.import.log.lines } }
  results.http = await measureHttp({ data, bench, exams, ...written, scratch, onProgress })
}
