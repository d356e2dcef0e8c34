import { mkdir } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { judge } from './export/goals.ts'
import { listProblems, type Report, siteText, summaryText } from './export/report.ts'
import { runSite, type SiteResult } from './export/run.ts'
import { sites } from './export/sites.ts'
import { tools } from './export/tools.ts'
import { describeMachine } from './http/report.ts'
import { installPeers } from './peers.ts'

interface Flags {
  sites: string
  site?: string[]
  peer?: string[]
  quick?: boolean
  timeoutSeconds: number
  keep?: boolean
  json?: boolean
}

export function exportCommand(): Command {
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name)
  const repeated =
    (known: string[]) =>
    (text: string, before: string[] = []) => [...before, ...text.split(/[\s,]+/).map(name => readName(name, known))]
  const peerNames = names(tools.filter(({ isOurs }) => !isOurs))
  return new Command('export')
    .description('compare exports of real sites with the originals, and Quire with mirroring tools')
    .addOption(
      new Option('--sites <folder>', 'folder for the built sites; later runs reuse it')
        .env('QUIRE_BENCH_SITES')
        .default(join(tmpdir(), 'quire-bench')),
    )
    .addOption(
      new Option('--site <name>', `run only one of ${names(sites).join(', ')}; may be repeated`)
        .env('QUIRE_BENCH_SITE')
        .argParser(repeated(names(sites))),
    )
    .addOption(
      new Option('--peer <name>', `compare only with ${peerNames.join(', ')}, or none; may be repeated`)
        .env('QUIRE_BENCH_PEER')
        .argParser(repeated([...peerNames, 'none'])),
    )
    .addOption(new Option('--quick', 'sample fewer pages, and use shorter time limits').env('QUIRE_BENCH_QUICK'))
    .addOption(
      new Option('--timeout-seconds <number>', 'time limit for one copy; an unfinished copy is compared too')
        .env('QUIRE_BENCH_TIMEOUT_SECONDS')
        .default(120)
        .argParser(integer(1, 86_400)),
    )
    .addOption(new Option('--keep', 'keep the copies and logs, and print their folder').env('QUIRE_BENCH_KEEP'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Builds or installs five real sites, and copies each with Quire and then with each peer. Opens pages of every copy in Chromium
at the root of a host, in a folder and from file://; all other addresses are blocked. Compares text, appearance and links with
the origin, and uses each site's search, theme button and menu. Exit code 1 if Quire misses a goal. A run takes about half an
hour; the first run takes a few minutes longer.

Examples:
  npm run bench -- export
  npm run bench -- export --site docusaurus --peer none
  npm run bench -- export --quick --peer wget --json > figures.json`,
    )
    .action(run)
}

async function run({ json, quick, keep = false, timeoutSeconds, ...flags }: Flags): Promise<void> {
  if (!findBrowser())
    throw new OperatorError(`Chromium is needed to compare the copies. Install it with: ${installCommand()}`)
  const cacheFolder = resolve(flags.sites)
  await mkdir(cacheFolder, { recursive: true }).catch(error => {
    throw new OperatorError(`--sites ${cacheFolder} cannot be created (${error.code}).`, 2)
  })
  const chosen = sites.filter(({ name }) => flags.site?.includes(name) ?? true)
  const contestants = tools.filter(({ name, isOurs }) => isOurs || (flags.peer?.includes(name) ?? true))
  if (contestants.length > 1) await installPeers()
  const startedAt = performance.now()
  const loadAverage = loadavg()[0] ?? 0
  const onProgress = (text: string) => void process.stderr.write(`${text}\n`)
  const results: SiteResult[] = []
  for (const site of chosen) {
    const result = await runSite(site, contestants, {
      cacheFolder,
      samples: quick ? { root: 5, folder: 3, file: 3 } : { root: 20, folder: 10, file: 10 },
      toolTimeoutMs: (quick ? Math.min(60, timeoutSeconds) : timeoutSeconds) * 1000,
      keep,
      onProgress,
    })
    results.push(result)
    // A long run that is interrupted has already printed these results.
    if (!json) console.log(`${siteText(result).join('\n')}\n`)
    for (const problem of listProblems([result], 'quire')) onProgress(problem)
  }
  const report: Report = {
    at: new Date().toISOString(),
    command: ['npm run bench --', ...process.argv.slice(2).filter(arg => !arg.includes('/'))].join(' '),
    machine: describeMachine(loadAverage),
    seconds: (performance.now() - startedAt) / 1000,
    sites: results,
    goals: results.flatMap(judge),
  }
  console.log(json ? JSON.stringify(report, undefined, 2) : summaryText(report).join('\n'))
  const missed = report.goals.filter(({ isMet }) => !isMet).length
  if (missed > 0) throw new OperatorError(`Quire misses ${missed} of ${report.goals.length} goals.`)
}

function readName(name: string, known: readonly string[]): string {
  if (!known.includes(name)) throw new OperatorError(`${name} is unknown. It is one of ${known.join(', ')}.`, 2)
  return name
}
