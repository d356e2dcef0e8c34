import { Option } from 'commander'
import { defaultLimits, type ExportLimits } from '../export/model/limits.ts'
import { integer } from './integer.ts'

const megabyte = 1024 ** 2
const second = 1000

/** Each limit: flag (its environment variable is derived), description, unit in that of ExportLimits, maximum, and minimum if not 1. */
const limits: [keyof ExportLimits, flag: string, what: string, unit: number, most: number, least?: number][] = [
  ['pages', 'max-pages', 'maximum pages of one export', 1, 1_000_000],
  ['links', 'max-links', 'maximum links requested in one export, including dead ones', 1, 10_000_000],
  ['files', 'max-files', 'maximum files of one export, not counting pages', 1, 10_000_000],
  ['failedPercent', 'max-failed-percent', 'maximum percentage of pages that may fail; 100 = no limit', 1, 100, 0],
  ['totalBytes', 'max-total-mb', 'maximum MB fetched for one export', megabyte, 1_000_000],
  ['fileBytes', 'max-file-mb', 'maximum MB of one file', megabyte, 100_000],
  ['pageBytes', 'max-page-mb', 'maximum MB of one page, script or style sheet', megabyte, 256],
  ['redirects', 'max-redirects', 'maximum redirects of one request', 1, 100],
  ['pageTimeoutMs', 'page-timeout-seconds', 'time limit for one page or file', second, 3600],
  ['retries', 'max-retries', 'maximum retries of a request when the server fails or does not answer', 1, 20, 0],
  ['pageRequests', 'max-page-requests', 'maximum requests of one page in the browser', 1, 100_000],
  ['jobTimeoutMs', 'job-timeout-seconds', 'time limit for one export', second, 604_800],
  ['connections', 'connections', 'maximum parallel requests to one host; Quire begins with 8', 1, 256],
]

/** The parsed flags of the limits, by attribute name. */
export type LimitFlags = Record<
  | 'maxPages'
  | 'maxLinks'
  | 'maxFiles'
  | 'maxFailedPercent'
  | 'maxTotalMb'
  | 'maxFileMb'
  | 'maxPageMb'
  | 'maxRedirects'
  | 'pageTimeoutSeconds'
  | 'maxRetries'
  | 'maxPageRequests'
  | 'jobTimeoutSeconds'
  | 'connections',
  number
>

/** Creates a flag and an environment variable for every export limit, the same for all commands that export. */
export function limitOptions(): Option[] {
  return limits.map(([name, flag, what, unit, most, least = 1]) =>
    new Option(`--${flag} <number>`, what)
      .env(`QUIRE_${flag.toUpperCase().replaceAll('-', '_')}`)
      .default(defaultLimits[name] / unit)
      .argParser(integer(least, most)),
  )
}

/** Converts the flags to limits. */
export function readLimits(flags: LimitFlags): ExportLimits {
  const entries = limits.map(([name, flag, , unit]) => {
    const attribute = new Option(`--${flag} <number>`).attributeName() as keyof LimitFlags
    return [name, flags[attribute] * unit]
  })
  return Object.fromEntries(entries) as ExportLimits
}
