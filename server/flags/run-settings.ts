import { defaultLimits, defaultProcessLimits, type ExportLimits, type ProcessLimits } from '../export/model/limits.ts'
import { type FlagsOf, integer, type Settings } from './setting.ts'

/** Settings of every command that exports. */
export const runSettings = {
  verify: {
    flag: '--verify <how>',
    env: 'QUIRE_VERIFY',
    what: 'pages to open in a browser to verify the bundle: none (static), a sample, or all pages with scripts (full)',
    choices: ['static', 'sample', 'full'],
    default: 'sample',
  },
  allowLoss: {
    flag: '--allow-loss',
    env: 'QUIRE_ALLOW_LOSS',
    what: 'make a bundle even if a page of the navigation is lost, or a checked page loses a tenth of its words',
  },
  allowNoSandbox: {
    flag: '--allow-no-sandbox',
    env: 'QUIRE_ALLOW_NO_SANDBOX',
    what: 'run Chromium without its sandbox where it cannot have one: as root, or without user namespaces; only in a container or virtual machine that the exported sites may take over',
  },
} as const satisfies Settings

export const cacheMb = {
  flag: '--cache-mb <number>',
  env: 'QUIRE_EXPORT_CACHE_MB',
  what: 'maximum cache size of one site, in MB',
  default: 4096,
  read: integer(1, 10_000_000),
} as const

const megabyte = 1024 ** 2
const second = 1000
const defaults = { ...defaultLimits, ...defaultProcessLimits }

/** The limit, its description, the unit of the flag in that of the limit, the maximum, and the minimum if not 1. */
type Row = readonly [limit: keyof typeof defaults, what: string, unit: number, most: number, least?: number]

/** By the name of the setting, which gives the flag and its environment variable. */
const rows = {
  maxPages: ['pages', 'maximum pages of one export', 1, 1_000_000],
  maxLinks: ['links', 'maximum links requested in one export, including dead ones', 1, 10_000_000],
  maxFiles: ['files', 'maximum files of one export, not counting pages', 1, 10_000_000],
  maxFailedPercent: ['failedPercent', 'maximum percentage of pages that may fail; 100 = no limit', 1, 100, 0],
  maxTotalMb: ['totalBytes', 'maximum MB fetched for one export', megabyte, 1_000_000],
  maxFileMb: ['fileBytes', 'maximum MB of one file', megabyte, 100_000],
  maxPageMb: ['pageBytes', 'maximum MB of one page, script or style sheet', megabyte, 256],
  maxRedirects: ['redirects', 'maximum redirects of one request', 1, 100],
  pageTimeoutSeconds: ['pageTimeoutMs', 'time limit for one page or file', second, 3600],
  maxRetries: ['retries', 'maximum retries of a request when the server fails or does not answer', 1, 20, 0],
  maxPageRequests: ['pageRequests', 'maximum requests of one page in the browser', 1, 100_000],
  jobTimeoutSeconds: ['jobTimeoutMs', 'time limit for one export', second, 604_800],
  connections: ['connections', 'maximum parallel requests to one host; Quire begins with 8', 1, 256],
  exportMemoryMb: ['memoryBytes', 'maximum MB of memory of one export and its browser', megabyte, 1_000_000, 64],
  exportStallSeconds: ['stallMs', 'time without a sign of life after which an export is ended', second, 3600, 2],
} as const satisfies Record<string, Row>

type LimitName = keyof typeof rows

/** The limits of an export, the same for all commands that export. */
export const limitSettings = Object.fromEntries(
  Object.entries<Row>(rows).map(([name, [limit, what, unit, most, least = 1]]) => {
    const words = name.replace(/[A-Z]/g, '-$&').toLowerCase()
    const env = `QUIRE_${words.toUpperCase().replaceAll('-', '_')}`
    return [
      name,
      { flag: `--${words} <number>`, env, what, default: defaults[limit] / unit, read: integer(least, most) },
    ]
  }),
) as Record<LimitName, Settings[string] & { default: number; read: (text: string) => number }>

/** Converts the flags to limits. */
export function readLimits(flags: FlagsOf<typeof limitSettings>): ExportLimits {
  return readRows(flags, defaultLimits)
}

/** Converts the flags to limits of the process. */
export function readProcessLimits(flags: FlagsOf<typeof limitSettings>): ProcessLimits {
  return readRows(flags, defaultProcessLimits)
}

function readRows<Limits extends object>(flags: FlagsOf<typeof limitSettings>, limits: Limits): Limits {
  const own = Object.entries<Row>(rows).filter(([, [limit]]) => limit in limits)
  return Object.fromEntries(own.map(([name, [limit, , unit]]) => [limit, flags[name as LimitName] * unit])) as Limits
}
