import { OperatorError } from '../base/operator-error.ts'
import { isPagePath, pagePathRule, toPagePaths } from '../export/jobs/page-paths.ts'
import type { Features } from '../products/features.ts'
import type { Feature } from '../tenancy/removal-rules.ts'
import { parseDomain } from '../tenancy/site.ts'
import { parseSiteHeaders, type SiteHeaders } from '../web/fetch/site-headers.ts'
import { printSettings, readStamp } from './print-settings.ts'
import { cacheMb, limitSettings, runSettings } from './run-settings.ts'
import { type FlagsOf, nonEmpty, type Settings } from './setting.ts'
import { shared } from './shared-settings.ts'
import { sign, trustedKey } from './signing-settings.ts'
import { allowOrigin, removalSettings, sessionFile } from './site-settings.ts'

/** The settings of `export`. */
export const exportSettings = {
  path: {
    flag: '--path <path>',
    env: 'QUIRE_EXPORT_PATHS',
    what: 'export only this page, such as /guide/install or index; may be repeated',
    read: addValue,
  },
  origin: {
    flag: '--origin <url>',
    env: 'QUIRE_EXPORT_ORIGIN',
    what: 'address to fetch the site from; may be private',
  },
  allowOrigin: { ...allowOrigin, env: 'QUIRE_EXPORT_ALLOW_ORIGINS' },
  header: {
    flag: '--header <name: value>',
    env: 'QUIRE_EXPORT_HEADERS',
    what: 'send this header with every request to the site; may be repeated',
    read: addHeaders,
  },
  session: sessionFile('use the login of this file, which npx quire login --session wrote'),
  ignoreRobots: {
    flag: '--ignore-robots',
    env: 'QUIRE_EXPORT_IGNORE_ROBOTS',
    what: 'export pages that robots.txt forbids; only for your own sites',
  },
  output: {
    flag: '-o, --output <file>',
    env: 'QUIRE_EXPORT_OUTPUT',
    what: 'archive to write; with a slash at its end, a folder for the files of the bundle (default: an archive named after the site, such as docs.example.com.zip)',
  },
  // It has no environment variable, because it makes another command of the export.
  check: {
    flag: '--check <bundle>',
    what: 'export nothing, but verify this bundle: an archive, or the folder of one',
    read: nonEmpty('a bundle, such as docs.zip'),
  },
  sign,
  trustedKey: {
    ...trustedKey,
    what: 'with --check, verify that FILE.sig was made with this public key; may be repeated',
  },
  format: {
    flag: '--format <format>',
    env: 'QUIRE_EXPORT_FORMAT',
    what: 'format of the archive (default: from the file name, else zip)',
    choices: ['zip', 'tar.gz'],
  },
  deployment: {
    flag: '--deployment <kind>',
    env: 'QUIRE_EXPORT_DEPLOYMENT',
    what: 'where the bundle will run',
    choices: ['cloud', 'client-hosted', 'air-gapped'],
    default: 'air-gapped',
  },
  feature: {
    flag: '--feature <name[=on|off]>',
    env: 'QUIRE_EXPORT_FEATURES',
    what: 'turn a feature on or off if the deployment allows it; may be repeated',
    read: addFeatures,
  },
  offlineSearch: {
    flag: '--offline-search',
    env: 'QUIRE_EXPORT_OFFLINE_SEARCH',
    what: 'add a search that works without a server, also from file://',
  },
  markdown: {
    flag: '--markdown',
    env: 'QUIRE_EXPORT_MARKDOWN',
    what: 'add each page as Markdown, llms.txt and llms-full.txt, for programs that read the site',
  },
  label: { flag: '--label <text>', env: 'QUIRE_EXPORT_LABEL', what: 'version to write into the report' },
  stamp: {
    flag: '--stamp <date>',
    env: 'QUIRE_EXPORT_STAMP',
    what: 'add a line to the end of each page: copy of DATE, version of --label; today is a new date, and so a new archive, each day',
    read: readStamp,
  },
  ...printSettings,
  ...runSettings,
  cache: {
    flag: '--cache <folder>',
    env: 'QUIRE_EXPORT_CACHE',
    what: 'keep a cache of each site here, so that the next export fetches only changes',
    read: nonEmpty('a folder, such as ~/.cache/quire'),
  },
  cacheMb,
  workFolder: {
    flag: '--work-folder <folder>',
    env: 'QUIRE_EXPORT_WORK_FOLDER',
    what: 'folder for scratch files (default: a new folder in the temporary folder)',
    read: nonEmpty('a folder, such as /var/tmp'),
  },
  json: shared.json,
  ...removalSettings,
  ...limitSettings,
} as const satisfies Settings

export type ExportFlags = FlagsOf<typeof exportSettings>

export function readTarget(site: string, originFlag: string | undefined) {
  if (site.includes('://')) {
    if (originFlag !== undefined)
      throw new OperatorError(
        '--origin can only be used if the site is a domain. If the site is a URL, omit --origin.',
        2,
      )
    const origin = readUrl(site, 'The site')
    return { domain: origin.host, origin, originAllowed: true }
  }
  const domain = parseDomain(site)
  if (!domain)
    throw new OperatorError(
      `${site} is neither a bare host name nor a URL. Examples: docs.example.com, http://127.0.0.1:3000/`,
      2,
    )
  if (originFlag === undefined) return { domain, origin: new URL(`https://${domain}/`), originAllowed: false }
  return { domain, origin: readUrl(originFlag, '--origin'), originAllowed: true }
}

function readUrl(text: string, what: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new OperatorError(
      `${what} must be an http(s) URL without user, query and fragment. Example: http://127.0.0.1:3000/`,
      2,
    )
  }
  return url
}

export function readHeaders(texts: string[] | undefined): SiteHeaders {
  if (texts?.length === 0)
    throw new OperatorError(
      `--header is empty. Give a header, such as 'Authorization: Bearer TOKEN', or leave the flag out.`,
      2,
    )
  try {
    return parseSiteHeaders(texts ?? [])
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(`--header: ${error.message}. Example: --header 'Authorization: Bearer TOKEN'`, 2)
  }
}

/**
 * Reads the pages to export, as the API reads `paths`.
 *
 * @returns null for the whole site
 */
export function readPaths(paths: readonly string[] | undefined): string[] | null {
  if (paths === undefined) return null
  if (paths.length === 0)
    throw new OperatorError('--path is empty. Name a page, such as /guide/install, or leave it out for all pages.', 2)
  const wrong = paths.find(path => !isPagePath(path))
  if (wrong !== undefined)
    throw new OperatorError(
      `--path ${wrong} must be ${pagePathRule}. Examples: /guide/install, guide/install, index`,
      2,
    )
  return toPagePaths(paths)
}

export function readFeature(text: string): [Feature, boolean] {
  const [name, setting = 'on', ...more] = text.split('=')
  if (name !== 'search' && name !== 'assistant' && name !== 'analytics' && name !== 'playground')
    throw new OperatorError(`--feature ${name} is unknown. Use search, assistant, analytics or playground.`, 2)
  if ((setting !== 'on' && setting !== 'off') || more.length > 0)
    throw new OperatorError(`--feature ${text} must be ${name}=on or ${name}=off.`, 2)
  return [name, setting === 'on']
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
