import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { CommandError } from '../base/operator-error.ts'
import { describeEngine } from '../engine.ts'
import { ExportError, type ExportResult, exportSite } from '../export/export-site.ts'
import type { BundleFormat } from '../export/jobs/export-job.ts'
import {
  type Deployment,
  type Feature,
  FeatureError,
  type Features,
  resolveFeatures,
} from '../export/model/features.ts'
import type { SiteMemory } from '../export/model/site-cache.ts'
import type { Verify } from '../export/verify/place-scripts.ts'
import { type LimitFlags, limitOptions, readLimits } from '../flags/limit-options.ts'
import { nonEmpty } from '../flags/non-empty.ts'
import { cacheMbOption, jsonOption, verifyOption } from '../flags/options.ts'
import { addRemovalOptions, type RemovalFlags, readRemovalFlags, removalHelp } from '../flags/removal-options.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'
import { openSiteMemories } from '../store/site-cache/site-memories.ts'
import { parseDomain } from '../tenancy/site.ts'
import { parseSiteHeaders, SiteHeaderError, type SiteHeaders } from '../web/fetch/site-headers.ts'
import { describeProgress, drawProgress } from './export-progress.ts'
import { explainFolder, formatOf, resolveOutput } from './output-file.ts'
import { printJson } from './print.ts'

interface ExportFlags extends LimitFlags, RemovalFlags {
  output: string
  format?: BundleFormat
  path?: string[]
  origin?: string
  header?: string[]
  deployment: Deployment
  feature?: Partial<Features>
  label?: string
  ignoreRobots?: boolean
  workFolder?: string
  offlineSearch?: boolean
  verify: Verify
  cache?: string
  cacheMb: number
  json?: boolean
}

const megabyte = 1024 ** 2
/** So many sentences about an export are printed; the report has all. */
const mostNotes = 5

export function exportCommand(): Command {
  const words = (text: string, before: string[] | undefined) => [
    ...(before ?? []),
    ...text.split(/\s+/).filter(Boolean),
  ]
  const command = new Command('export')
    .description('export a documentation site into one archive, without a server')
    .argument('<domain-or-url>', 'site to export: docs.example.com, or a URL; its path is the scope')
    .addOption(new Option('-o, --output <file>', 'archive to write').env('QUIRE_EXPORT_OUTPUT').makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'format (default: by the name of the file, else zip)')
        .env('QUIRE_EXPORT_FORMAT')
        .choices(['zip', 'tar.gz']),
    )
    .addOption(
      new Option('--path <path>', 'only this page; may be repeated').env('QUIRE_EXPORT_PATHS').argParser(words),
    )
    .addOption(
      new Option('--origin <url>', 'where to fetch the domain from; may be a private address').env(
        'QUIRE_EXPORT_ORIGIN',
      ),
    )
    .addOption(
      new Option('--header <name: value>', 'what every request to the site carries; may be repeated')
        .env('QUIRE_EXPORT_HEADERS')
        .argParser((text: string, before: string[] | undefined) => [
          ...(before ?? []),
          ...text.split('\n').filter(line => line.trim() !== ''),
        ]),
    )
    .addOption(
      new Option('--deployment <kind>', 'where the bundle will run')
        .env('QUIRE_EXPORT_DEPLOYMENT')
        .choices(['cloud', 'client-hosted', 'air-gapped'])
        .default('air-gapped'),
    )
    .addOption(
      new Option('--feature <name[=on|off]>', 'a feature, where the deployment lets one choose; may be repeated')
        .env('QUIRE_EXPORT_FEATURES')
        .argParser((text: string, before: Partial<Features> | undefined) => ({
          ...before,
          ...Object.fromEntries(words(text, []).map(readFeature)),
        })),
    )
    .addOption(new Option('--label <text>', 'version to note in the report').env('QUIRE_EXPORT_LABEL'))
    .addOption(
      new Option('--ignore-robots', 'export what robots.txt forbids, for sites of your own').env(
        'QUIRE_EXPORT_IGNORE_ROBOTS',
      ),
    )
    .addOption(
      new Option('--work-folder <folder>', 'scratch space (default: a new folder in the temporary one)')
        .env('QUIRE_EXPORT_WORK_FOLDER')
        .argParser(nonEmpty('a folder, such as /var/tmp')),
    )
    .addOption(
      new Option('--offline-search', 'pack a search that needs no server, for a double click, too').env(
        'QUIRE_EXPORT_OFFLINE_SEARCH',
      ),
    )
    .addOption(verifyOption())
    .addOption(
      new Option('--cache <folder>', 'remember sites here, so that the next export fetches what changed')
        .env('QUIRE_EXPORT_CACHE')
        .argParser(nonEmpty('a folder, such as ~/.cache/quire')),
    )
    .addOption(cacheMbOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  quire export docs.example.com -o docs.zip
  quire export https://docs.example.com/guide/ -o guide.tar.gz
  quire export http://127.0.0.1:3000/ -o preview.zip
  quire export docs.example.com --origin http://10.0.0.5:8080/ -o docs.zip
  quire export docs.example.com -o docs.zip --cache ~/.cache/quire
  QUIRE_EXPORT_HEADERS="Authorization: Bearer $TOKEN" quire export docs.example.com -o docs.zip
  quire export docs.example.com --deployment client-hosted --feature search=on --remove-selector '#ask-us' -o docs.zip
  quire export docs.example.com --exclude '/internal/*' --exclude '*/drafts/*' -o docs.zip
  quire export docs.example.com --path / --path /guide/install -o two-pages.zip --json
  quire export docs.example.com --offline-search -o docs.zip

A URL, or --origin, names a place you trust: that host and port may be private or loopback, nothing else may.
robots.txt is obeyed, unless --origin or --ignore-robots says that the site is yours.
Headers go to the site and to no other host. In the environment, one a line, the list of processes does not show them.
A certificate of your own authority is trusted with NODE_EXTRA_CA_CERTS=authority.pem.

${removalHelp}`,
    )
    .action(runExport)
  addRemovalOptions(command)
  for (const option of limitOptions()) command.addOption(option)
  return command
}

async function runExport(site: string, flags: ExportFlags): Promise<void> {
  const target = readTarget(site, flags.origin)
  const format = flags.format ?? formatOf(flags.output)
  const features = readFeatures(flags.deployment, flags.feature)
  const removal = readRemovalFlags(flags)
  const paths = readPaths(flags.path)
  const siteHeaders = readHeaders(flags.header)
  const outFile = await resolveOutput(flags.output)
  const parent = flags.workFolder ? resolve(flags.workFolder) : tmpdir()
  const scratch = await openScratchFolder(parent).catch(error => {
    const why = explainFolder((error as NodeJS.ErrnoException).code, parent)
    throw new CommandError(`--work-folder ${parent} cannot be written to (${why}).`, 2)
  })
  let memory: SiteMemory | null = null
  const stop = stopOnSignal()
  const progress = showProgress(process.stderr)
  const startedAt = performance.now()
  try {
    if (flags.cache !== undefined) memory = await openCache(flags.cache, flags.cacheMb, target.domain)
    const result = await exportSite({
      ...target,
      siteHeaders,
      paths,
      deployment: flags.deployment,
      features,
      removal,
      version: flags.label ?? null,
      format,
      outFile,
      workFolder: scratch.path,
      limits: readLimits(flags),
      verify: flags.verify,
      offlineSearch: flags.offlineSearch ?? false,
      obeyRobots: !flags.ignoreRobots && flags.origin === undefined,
      isAlone: true,
      reuse: memory && { memory, run: randomUUID(), engine: describeEngine() },
      onProgress: progress.show,
      signal: stop.signal,
    })
    progress.end()
    const seconds = (performance.now() - startedAt) / 1000
    if (flags.json) printJson({ file: outFile, format, ...result, seconds: Math.round(seconds * 1000) / 1000 })
    else console.log(summarize(outFile, result, seconds))
  } catch (error) {
    progress.end()
    if (error instanceof ExportError) throw new CommandError(error.message)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC')
      throw new CommandError(`The disk is full. Free some space, or name another folder with --work-folder.`)
    throw error
  } finally {
    stop.release()
    await memory?.close()
    await scratch.close()
  }
}

/** Null, with a line that says so, while another export of the site uses it. */
async function openCache(folder: string, mostMb: number, domain: string): Promise<SiteMemory | null> {
  const memories = openSiteMemories({
    folder: resolve(folder),
    mostBytes: mostMb * megabyte,
    // An archive that was handed out belongs to the user, who may write into it.
    sharesArchives: false,
    warn: ({ err }, message) => console.error(`${message} (${(err as NodeJS.ErrnoException).code ?? err})`),
  })
  try {
    const memory = await memories.open(domain)
    if (!memory) console.error(`Another export of ${domain} uses --cache ${folder}; this one does without.`)
    return memory
  } catch (error) {
    const why = explainFolder((error as NodeJS.ErrnoException).code, folder)
    throw new CommandError(`--cache ${folder} cannot be used (${why}). Name a folder that may be written.`, 2)
  }
}

function readTarget(site: string, originFlag: string | undefined) {
  if (site.includes('://')) {
    if (originFlag !== undefined) throw new CommandError('--origin goes with a domain; a URL is its own origin.', 2)
    const origin = readUrl(site, 'The site')
    return { domain: origin.host, origin, originAllowed: true }
  }
  const domain = parseDomain(site)
  if (!domain)
    throw new CommandError(
      `${site} is neither a bare host name nor a URL. Examples: docs.example.com, http://127.0.0.1:3000/`,
      2,
    )
  if (originFlag === undefined) return { domain, origin: new URL(`https://${domain}/`), originAllowed: false }
  return { domain, origin: readUrl(originFlag, '--origin'), originAllowed: true }
}

function readUrl(text: string, what: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new CommandError(
      `${what} must be an http(s) URL without user, query and fragment. Example: http://127.0.0.1:3000/`,
      2,
    )
  }
  return url
}

function readHeaders(texts: string[] | undefined): SiteHeaders {
  if (texts?.length === 0)
    throw new CommandError(`--header is empty. Name one, such as 'Authorization: Bearer TOKEN', or leave it out.`, 2)
  try {
    return parseSiteHeaders(texts ?? [])
  } catch (error) {
    if (!(error instanceof SiteHeaderError)) throw error
    throw new CommandError(`--header: ${error.message}. Example: --header 'Authorization: Bearer TOKEN'`, 2)
  }
}

function readPaths(paths: string[] | undefined): string[] | null {
  if (paths?.length === 0)
    throw new CommandError('--path is empty. Name a page, such as /guide/install, or leave it out for all pages.', 2)
  return paths?.map(readPath) ?? null
}

function readPath(path: string): string {
  const isPath = path.startsWith('/') && !path.startsWith('//') && !/[\\?#\s]|(^|\/)\.\.(\/|$)/.test(path)
  if (!isPath) throw new CommandError(`--path ${path} must be a path on the site. Example: /guide/install`, 2)
  return path
}

function readFeature(text: string): [Feature, boolean] {
  const [name, setting = 'on', ...more] = text.split('=')
  if (name !== 'search' && name !== 'assistant' && name !== 'analytics' && name !== 'playground')
    throw new CommandError(`--feature ${name} is unknown. It is one of search, assistant, analytics, playground.`, 2)
  if ((setting !== 'on' && setting !== 'off') || more.length > 0)
    throw new CommandError(`--feature ${text} must be ${name}=on or ${name}=off.`, 2)
  return [name, setting === 'on']
}

function readFeatures(deployment: Deployment, asked: Partial<Features> | undefined): Features {
  try {
    return resolveFeatures(deployment, asked ?? {})
  } catch (error) {
    if (error instanceof FeatureError) throw new CommandError(error.message, 2)
    throw error
  }
}

/** Ctrl-C ends the export and lets it clean up; a second one ends the process. */
function stopOnSignal() {
  const controller = new AbortController()
  const stop = () => {
    release()
    controller.abort(new ExportError('The export was stopped; nothing was written.', 'aborted'))
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const release = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  for (const signal of signals) process.once(signal, stop)
  return { signal: controller.signal, release }
}

/** A line that is drawn again on a terminal; a line for each stage, and every few seconds, elsewhere. */
function showProgress(stream: NodeJS.WriteStream) {
  let stage = ''
  let stageAt = 0
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(progress: Parameters<typeof describeProgress>[0]) {
      const now = performance.now()
      const isNew = progress.stage !== stage
      if (isNew) {
        stage = progress.stage
        stageAt = now
      }
      if (!isNew && now - shownAt < (stream.isTTY ? 100 : 5000)) return
      shownAt = now
      if (stream.isTTY) stream.write(`\r\u001b[K${drawProgress(progress, now - stageAt, (stream.columns ?? 80) - 1)}`)
      else stream.write(`${describeProgress(progress)}\n`)
    },
    end() {
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}

function summarize(outFile: string, { pageCount, sizeBytes, sha256, report }: ExportResult, seconds: number): string {
  const lines = [
    `${outFile}: ${count(pageCount, 'page', 'pages')}, ${(sizeBytes / megabyte).toFixed(1)} MB, ${seconds.toFixed(1)} s`,
    `sha256 ${sha256}`,
  ]
  const counted: [number, string, string][] = [
    [report.removedFeatures.length, 'product removed', 'products removed'],
    [report.deadLinks.length, 'link to a page that is not there', 'links to pages that are not there'],
    [report.missingFiles.length, 'file that could not be had', 'files that could not be had'],
    [report.skipped.length, 'page left out', 'pages left out'],
    [report.excludedPages.length, 'page left out by choice', 'pages left out by choice'],
    [
      report.unresolved.length,
      'address that does not resolve in the bundle',
      'addresses that do not resolve in the bundle',
    ],
  ]
  const found = counted.filter(([number]) => number > 0).map(([number, one, many]) => count(number, one, many))
  // What may make a bundle useless, such as pages that no file can hold, must not wait until somebody opens the report.
  lines.push(...report.notes.slice(0, mostNotes))
  if (report.notes.length > mostNotes) found.push(count(report.notes.length - mostNotes, 'more note', 'more notes'))
  if (found.length > 0) lines.push(`${found.join(', ')}; see export-report.html in the bundle`)
  return lines.join('\n')
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
