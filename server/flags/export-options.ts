import { Option } from 'commander'
import type { BundleFormat, Verify } from '../export/model/options.ts'
import type { Deployment, Features } from '../products/features.ts'
import { allowOriginOption } from './allow-origin-option.ts'
import { readFeature, readHeaders } from './export-flags.ts'
import type { LimitFlags } from './limit-options.ts'
import { nonEmpty } from './non-empty.ts'
import { allowLossOption, cacheMbOption, jsonOption, verifyOption } from './options.ts'
import type { RemovalFlags } from './removal-options.ts'

/** The parsed flags of `export`. */
export interface ExportFlags extends LimitFlags, RemovalFlags {
  output?: string
  check?: string
  format?: BundleFormat
  path?: string[]
  origin?: string
  allowOrigin?: string[]
  header?: string[]
  deployment: Deployment
  feature?: Partial<Features>
  label?: string
  ignoreRobots?: boolean
  workFolder?: string
  offlineSearch?: boolean
  verify: Verify
  allowLoss?: boolean
  cache?: string
  cacheMb: number
  json?: boolean
}

/** The flags of `export`, without limits and removal rules. */
export function exportOptions(): Option[] {
  return [...siteOptions(), ...bundleOptions(), ...runOptions()]
}

/** Options for the site and its pages. */
function siteOptions(): Option[] {
  return [
    new Option('--path <path>', 'export only this page, such as /guide/install or index; may be repeated')
      .env('QUIRE_EXPORT_PATHS')
      .argParser(addValue),
    new Option('--origin <url>', 'address to fetch the site from; may be private').env('QUIRE_EXPORT_ORIGIN'),
    allowOriginOption().env('QUIRE_EXPORT_ALLOW_ORIGINS'),
    new Option('--header <name: value>', 'send this header with every request to the site; may be repeated')
      .env('QUIRE_EXPORT_HEADERS')
      .argParser(addHeaders),
    new Option('--ignore-robots', 'export pages that robots.txt forbids; only for your own sites').env(
      'QUIRE_EXPORT_IGNORE_ROBOTS',
    ),
  ]
}

/** Options for the bundle. */
function bundleOptions(): Option[] {
  return [
    new Option(
      '-o, --output <file>',
      'archive to write; with a slash at its end, a folder for the files of the bundle',
    ).env('QUIRE_EXPORT_OUTPUT'),
    // It has no environment variable, because it makes another command of the export.
    new Option(
      '--check <bundle>',
      'export nothing, but verify this bundle: an archive, or the folder of one',
    ).argParser(nonEmpty('a bundle, such as docs.zip')),
    new Option('--format <format>', 'format of the archive (default: from the file name, else zip)')
      .env('QUIRE_EXPORT_FORMAT')
      .choices(['zip', 'tar.gz']),
    new Option('--deployment <kind>', 'where the bundle will run')
      .env('QUIRE_EXPORT_DEPLOYMENT')
      .choices(['cloud', 'client-hosted', 'air-gapped'])
      .default('air-gapped'),
    new Option('--feature <name[=on|off]>', 'turn a feature on or off if the deployment allows it; may be repeated')
      .env('QUIRE_EXPORT_FEATURES')
      .argParser(addFeatures),
    new Option('--offline-search', 'add a search that works without a server, also from file://').env(
      'QUIRE_EXPORT_OFFLINE_SEARCH',
    ),
    new Option('--label <text>', 'version to write into the report').env('QUIRE_EXPORT_LABEL'),
  ]
}

/** Options for the run. */
function runOptions(): Option[] {
  return [
    verifyOption(),
    allowLossOption(),
    new Option('--cache <folder>', 'keep a cache of each site here, so that the next export fetches only changes')
      .env('QUIRE_EXPORT_CACHE')
      .argParser(nonEmpty('a folder, such as ~/.cache/quire')),
    cacheMbOption(),
    new Option('--work-folder <folder>', 'folder for scratch files (default: a new folder in the temporary folder)')
      .env('QUIRE_EXPORT_WORK_FOLDER')
      .argParser(nonEmpty('a folder, such as /var/tmp')),
    jsonOption(),
  ]
}

function addWords(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(/\s+/).filter(Boolean)]
}

/** Adds the value of a flag; an empty value adds nothing. */
function addValue(text: string, before: string[] = []): string[] {
  return text.trim() === '' ? before : [...before, text.trim()]
}

function addLines(text: string, before: string[] = []): string[] {
  return [...before, ...text.split('\n').filter(line => line.trim() !== '')]
}

/** Reads the headers too, so that `quire doctor` finds a variable that cannot be used. */
function addHeaders(text: string, before: string[] = []): string[] {
  const headers = addLines(text, before)
  if (headers.length > 0) readHeaders(headers)
  return headers
}

function addFeatures(text: string, before: Partial<Features> = {}): Partial<Features> {
  return { ...before, ...Object.fromEntries(addWords(text).map(readFeature)) }
}
