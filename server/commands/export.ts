import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { describeEngine, startThread } from '../assets.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ExportError, exportSite } from '../export/export-site.ts'
import type { Deployment, Features } from '../export/model/features.ts'
import type { BundleFormat, Verify } from '../export/model/options.ts'
import type { SiteCache } from '../export/model/site-cache.ts'
import { readFeature, readFeatures, readHeaders, readPaths, readTarget } from '../flags/export-flags.ts'
import { type LimitFlags, limitOptions, readLimits } from '../flags/limit-options.ts'
import { nonEmpty } from '../flags/non-empty.ts'
import { cacheMbOption, jsonOption, verifyOption } from '../flags/options.ts'
import { addRemovalOptions, type RemovalFlags, readRemovalFlags, removalHelp } from '../flags/removal-options.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'
import { openSiteCaches } from '../store/site-cache/site-caches.ts'
import { showProgress } from './export-progress.ts'
import { megabyte, summarize } from './export-summary.ts'
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
    throw new OperatorError(`--work-folder ${parent} cannot be written to (${why}).`, 2)
  })
  let memory: SiteCache | null = null
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
      startThread,
    })
    progress.end()
    const seconds = (performance.now() - startedAt) / 1000
    if (flags.json) printJson({ file: outFile, format, ...result, seconds: Math.round(seconds * 1000) / 1000 })
    else console.log(summarize(outFile, result, seconds))
  } catch (error) {
    progress.end()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC')
      throw new OperatorError(`The disk is full. Free some space, or name another folder with --work-folder.`)
    throw error
  } finally {
    stop.release()
    await memory?.close()
    await scratch.close()
  }
}

/** Null, with a line that says so, while another export of the site uses it. */
async function openCache(folder: string, maxMb: number, domain: string): Promise<SiteCache | null> {
  const memories = openSiteCaches({
    folder: resolve(folder),
    maxBytes: maxMb * megabyte,
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
    throw new OperatorError(`--cache ${folder} cannot be used (${why}). Name a folder that may be written.`, 2)
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
