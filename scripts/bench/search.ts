import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { describeMachine } from './http/report.ts'
import { installPeers } from './peers.ts'
import { type Report, searchText } from './search/report.ts'

interface Flags {
  sites: string
  rounds: number
  grid?: boolean
  json?: boolean
}

export function searchCommand(): Command {
  return new Command('search')
    .description(
      'compare the offline search with MiniSearch: index size, time to the first hit from file://, and quality',
    )
    .addOption(
      new Option('--sites <folder>', 'folder for the prepared documents; later runs reuse it')
        .env('QUIRE_BENCH_SITES')
        .default(join(tmpdir(), 'quire-bench')),
    )
    .addOption(
      new Option('--rounds <number>', 'measurements of the first hit for each engine and corpus')
        .env('QUIRE_BENCH_ROUNDS')
        .default(10)
        .argParser(integer(1, 1000)),
    )
    .addOption(new Option('--grid', 'only compare 256 settings of MiniSearch by quality').env('QUIRE_BENCH_GRID'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Indexes the Python docs and the documents of three npm packages with each engine, from the same sections of the same pages.
Opens a page from file:// in Chromium, opens the search and enters the questions. Two sets of 50 questions and their answers
are in scripts/bench/search: questions.ts and held-out-questions.ts. A run takes about five minutes.

Examples:
  npm run bench -- search
  npm run bench -- search --grid
  npm run bench -- search --rounds 3 --json > figures.json`,
    )
    .action(run)
}

async function run({ sites, rounds, grid, json }: Flags): Promise<void> {
  if (!findBrowser()) throw new OperatorError(`The search runs in Chromium. Install it with: ${installCommand()}`)
  await installPeers()
  // These modules import the peers, so they are loaded after the installation.
  const [{ runSearchBench }, { launchBrowser }] = await Promise.all([
    import('./search/run.ts'),
    import('./search/visit.ts'),
  ])
  const cacheFolder = resolve(sites)
  await mkdir(cacheFolder, { recursive: true })
  if (grid) {
    const { miniSearchGrid } = await import('./search/minisearch-grid.ts')
    console.log((await miniSearchGrid(cacheFolder)).join('\n'))
    return
  }
  const loadAverage = loadavg()[0] ?? 0
  const scratch = await mkdtemp(join(tmpdir(), 'quire-search-bench-'))
  const browser = await launchBrowser()
  try {
    const say = (text: string) => void process.stderr.write(`${text}\n`)
    const corpora = await runSearchBench({ browser, cacheFolder, scratch, rounds, say })
    const report: Report = { at: new Date().toISOString(), machine: describeMachine(loadAverage), rounds, corpora }
    console.log(json ? JSON.stringify(report, undefined, 2) : searchText(report))
  } finally {
    await browser.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
