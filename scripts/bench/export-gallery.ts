import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { listMisses, listRemarks, tableHead, toTableRow } from './export-gallery/report.ts'
import { writeSection } from './export-gallery/results-file.ts'
import { runSite, type SiteResult } from './export-gallery/run-site.ts'
import type { GallerySite } from './export-gallery/site.ts'
import { gallerySites, leftOutSites } from './export-gallery/sites.ts'
import { describeMachine } from './http/report.ts'

interface Flags {
  sites: string
  only?: string[]
  list?: boolean
  prepare?: boolean
  pages: number
  timeoutSeconds: number
  write: boolean
  keep?: boolean
  json?: boolean
}

const resultsFile = join(import.meta.dirname, 'RESULTS.md')

export function exportGalleryCommand(): Command {
  return new Command('export-gallery')
    .description('export many different documentation sites, and judge each bundle in all three places')
    .addOption(
      new Option('--sites <folder>', 'folder for the built sites; later runs reuse it')
        .env('QUIRE_BENCH_SITES')
        .default(join(tmpdir(), 'quire-bench')),
    )
    .addOption(
      new Option('--only <names>', 'run only these sites, separated by commas; may be repeated')
        .env('QUIRE_BENCH_ONLY')
        .argParser((text: string, before: string[] = []) => [...before, ...text.split(/[\s,]+/).map(readName)]),
    )
    .addOption(new Option('--list', 'list the sites and exit').env('QUIRE_BENCH_LIST'))
    .addOption(new Option('--prepare', 'build or install the sites and exit').env('QUIRE_BENCH_PREPARE'))
    .addOption(
      new Option('--pages <number>', 'number of pages to open per site and place')
        .env('QUIRE_BENCH_PAGES')
        .default(6)
        .argParser(integer(1, 1000)),
    )
    .addOption(
      new Option('--timeout-seconds <number>', 'time limit for one export')
        .env('QUIRE_BENCH_TIMEOUT_SECONDS')
        .default(300)
        .argParser(integer(1, 86_400)),
    )
    .addOption(
      new Option('--no-write', 'do not write the rows to scripts/bench/RESULTS.md').env('QUIRE_BENCH_NO_WRITE'),
    )
    .addOption(new Option('--keep', 'keep the bundles, and print their folders').env('QUIRE_BENCH_KEEP'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Builds each site or takes it from a Debian package, serves it on loopback, and exports it with the default command line. Then
opens pages of the bundle in Chromium at the root of a host, in a folder and from file://; all other addresses are blocked.
Compares visible words, failed requests, errors, frameworks, theme button, links and search with the origin. Continues after a
site that fails. Exit code 1 if a bundle differs from its origin where it must not.

Examples:
  npm run bench -- export-gallery --list
  npm run bench -- export-gallery --only sqlite,glib --no-write
  npm run bench -- export-gallery --prepare`,
    )
    .action(run)
}

async function run({ json, only, pages, timeoutSeconds, keep = false, ...flags }: Flags): Promise<void> {
  const chosen = gallerySites.filter(({ name }) => only?.includes(name) ?? true)
  if (flags.list) return printList(chosen, json)
  const cacheFolder = resolve(flags.sites)
  await mkdir(cacheFolder, { recursive: true }).catch(error => {
    throw new OperatorError(`--sites ${cacheFolder} cannot be created (${error.code}).`, 2)
  })
  if (flags.prepare) return prepareAll(chosen, cacheFolder)
  if (!findBrowser())
    throw new OperatorError(`Chromium is needed to judge the bundles. Install it with: ${installCommand()}`)
  const results: SiteResult[] = []
  if (!json) console.log(tableHead.join('\n'))
  for (const site of chosen) {
    const result = await runSite(site, {
      cacheFolder,
      sampleSize: pages,
      exportTimeoutMs: timeoutSeconds * 1000,
      keep,
      onProgress: text => void process.stderr.write(`${text}\n`),
    })
    results.push(result)
    // A long run that is interrupted has already printed and written these results.
    if (!json) console.log(toTableRow(result))
    // Nobody looks at the details of unseen sites, so that nothing is tuned on them.
    if (!site.unseen) for (const line of listRemarks(result)) process.stderr.write(`  ${line}\n`)
    if (flags.write) await writeRow(result)
  }
  if (json) console.log(JSON.stringify(results, undefined, 2))
  const missed = results.filter(result => listMisses(result).length > 0)
  if (missed.length > 0) {
    const names = missed.map(({ site }) => site).join(', ')
    throw new OperatorError(`${missed.length} of ${results.length} sites differ from the origin: ${names}`)
  }
}

function printList(sites: readonly GallerySite[], json = false): void {
  const listed = sites.map(({ name, description, unseen = false }) => ({ name, description, unseen }))
  if (json) console.log(JSON.stringify(listed, undefined, 2))
  else
    for (const { name, description, unseen } of listed)
      console.log(`${name}: ${description}${unseen ? ' (unseen)' : ''}`)
}

async function prepareAll(sites: readonly GallerySite[], cacheFolder: string): Promise<void> {
  const failed: string[] = []
  for (const site of sites) {
    const startedAt = performance.now()
    const outcome = await site.prepare(cacheFolder).then(
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

async function writeRow(result: SiteResult): Promise<void> {
  const { cores, cpu, node } = describeMachine(result.loadAverage)
  const rows = new Map([[result.site, toTableRow(result)]])
  const text = writeSection(await readFile(resultsFile, 'utf8'), {
    rows,
    firstRows: result.isUnseen && result.verdict ? rows : new Map(),
    leftOut: new Map(Object.entries(leftOutSites)),
    conditions: [
      `\`npm run bench -- export-gallery\`, ${cores} cores (${cpu}), Node ${node}; each row with its time and load average.`,
      '',
      'Pages = found of the origin. Text = pages with the same visible words, and the least share of words on a page. From `failed` on,',
      'three values mean root / folder / file://; one value is the same in all three. A `-` means that the origin does not have it.',
      'Commit = the last one that changed the exporter.',
    ],
  })
  await writeFile(resultsFile, text)
}

function readName(name: string): string {
  const known = gallerySites.map(site => site.name)
  if (!known.includes(name)) throw new OperatorError(`${name} is unknown. It is one of ${known.join(', ')}.`, 2)
  return name
}
