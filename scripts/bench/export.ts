import { mkdir } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { describeCheck } from './export/check-cost.ts'
import { makeSite } from './export/make-site.ts'
import { listMisses, listRemarks, tableHead, toTableRows } from './export/report.ts'
import { runSite, type SiteResult } from './export/run-site.ts'
import type { Site } from './export/site.ts'
import { appSites } from './export/sites-apps.ts'
import { debianSites } from './export/sites-debian.ts'
import { frameworkSites } from './export/sites-frameworks.ts'
import { generatorSites } from './export/sites-generators.ts'
import { heldOutSites } from './export/sites-held-out.ts'
import { themeSites } from './export/sites-themes.ts'
import { quire, tools } from './export/tools.ts'
import { conditionsText, describeMachine, numberOption } from './report.ts'

interface Flags {
  sites: string
  site?: string[]
  peer?: string[]
  list?: boolean
  prepare?: boolean
  pages: number
  checkRounds: number
  timeoutSeconds: number
  keep?: boolean
  json?: boolean
}

const sites: readonly Site[] = [
  ...[...debianSites, ...generatorSites, ...themeSites, ...appSites, ...frameworkSites],
  ...heldOutSites,
]
const peers = tools.filter(({ isOurs }) => !isOurs)

export function exportCommand(): Command {
  const names =
    (known: readonly { name: string }[]) =>
    (text: string, before: string[] = []) => [...before, ...text.split(/[\s,]+/).map(name => readName(name, known))]
  return new Command('export')
    .description('export 70 different documentation sites, and compare each bundle with its origin and with peers')
    .addOption(
      new Option('--sites <folder>', 'folder for the built sites; later runs reuse it')
        .env('QUIRE_BENCH_SITES')
        .default(join(tmpdir(), 'quire-bench')),
    )
    .addOption(
      new Option('--site <names>', 'run only these sites, separated by commas; may be repeated')
        .env('QUIRE_BENCH_SITE')
        .argParser(names(sites)),
    )
    .addOption(
      new Option('--peer <names>', `also copy with ${peers.map(({ name }) => name).join(', ')}; may be repeated`)
        .env('QUIRE_BENCH_PEER')
        .argParser(names(peers)),
    )
    .addOption(new Option('--list', 'list the sites and exit').env('QUIRE_BENCH_LIST'))
    .addOption(new Option('--prepare', 'build or install the sites and exit').env('QUIRE_BENCH_PREPARE'))
    .addOption(numberOption('--pages', 'number of pages to open per site and place', 6, [1, 1000]))
    .addOption(
      numberOption(
        '--check-rounds',
        'how often to measure the check beside a bare script; only with --site',
        3,
        [0, 100],
      ),
    )
    .addOption(numberOption('--timeout-seconds', 'time limit for one copy', 300, [1, 86_400]))
    .addOption(new Option('--keep', 'keep the copies, and print their folders').env('QUIRE_BENCH_KEEP'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Builds each site or takes it from a Debian package, serves it on loopback, and exports it with the default command line. Then
opens pages of the bundle in Chromium at the root of a host, in a folder and from file://; all other addresses are blocked.
Compares visible words, failed requests, errors, frameworks, theme button, links and search with the origin. With a peer, also
exports with --verify static. With --site, also compares the check in the browser (the default export without the time of
--verify static) with a bare script that opens the same pages in the same places. Continues after a site that fails. Exit code 1 if Quire misses a goal.

Examples:
  npm run bench -- export --list
  npm run bench -- export --site sqlite,glib
  npm run bench -- export --site python,docusaurus --peer wget,website-scraper
  npm run bench -- export --prepare`,
    )
    .action(run)
}

async function run({ json, pages, timeoutSeconds, checkRounds, keep = false, ...flags }: Flags): Promise<void> {
  const chosen = sites.filter(({ name }) => flags.site?.includes(name) ?? true)
  if (flags.list) return printList(chosen, json)
  const cacheFolder = resolve(flags.sites)
  await mkdir(cacheFolder, { recursive: true }).catch(error => {
    throw new OperatorError(`--sites ${cacheFolder} cannot be created (${error.code}).`, 2)
  })
  if (flags.prepare) return prepareAll(chosen, cacheFolder)
  if (!findBrowser())
    throw new OperatorError(`Chromium is needed to judge the copies. Install it with: ${installCommand()}`)
  const used = flags.peer ? tools.filter(({ name, isOurs }) => isOurs || flags.peer?.includes(name)) : [quire]
  for (const tool of used) await tool.prepare(cacheFolder)
  const loadAverage = loadavg()[0] ?? 0
  const results: SiteResult[] = []
  const onProgress = (text: string) => void process.stderr.write(`${text}\n`)
  const options = {
    ...{ cacheFolder, sampleSize: pages, timeoutMs: timeoutSeconds * 1000, keep, onProgress },
    checkRounds: flags.site ? checkRounds : 0,
  }
  if (!json) console.log(tableHead.join('\n'))
  for (const site of chosen) {
    const result = await runSite(site, used, options)
    results.push(result)
    // A long run that is interrupted has already printed these results.
    if (!json) console.log(toTableRows(result).join('\n'))
    // Not on standard output: the lines would end the table.
    for (const line of result.check ? describeCheck(result.check) : []) onProgress(`  ${line}`)
    for (const line of [...listMisses(result), ...listRemarks(result)]) onProgress(`  ${line}`)
  }
  const machine = describeMachine(loadAverage)
  console.log(json ? JSON.stringify({ machine, results }, undefined, 2) : `\n${conditionsText(machine)}`)
  const missed = results.filter(result => listMisses(result).length > 0).map(({ site }) => site)
  if (missed.length > 0)
    throw new OperatorError(`Quire misses goals on ${missed.length} of ${results.length} sites: ${missed.join(', ')}`)
}

function printList(chosen: readonly Site[], json = false): void {
  const listed = chosen.map(({ name, description }) => ({ name, description }))
  if (json) console.log(JSON.stringify(listed, undefined, 2))
  else for (const { name, description } of listed) console.log(`${name}: ${description}`)
}

async function prepareAll(chosen: readonly Site[], cacheFolder: string): Promise<void> {
  const failed: string[] = []
  for (const site of chosen) {
    const startedAt = performance.now()
    const outcome = await makeSite(site, cacheFolder).then(
      () => 'ready',
      (error: Error) => {
        failed.push(site.name)
        return error.message
      },
    )
    console.log(`${site.name}: ${outcome} (${Math.round((performance.now() - startedAt) / 1000)} s)`)
  }
  if (failed.length > 0) throw new OperatorError(`${failed.length} sites cannot be built: ${failed.join(', ')}`)
}

function readName(name: string, known: readonly { name: string }[]): string {
  const names = known.map(each => each.name)
  if (!names.includes(name)) throw new OperatorError(`${name} is unknown. It is one of ${names.join(', ')}.`, 2)
  return name
}
