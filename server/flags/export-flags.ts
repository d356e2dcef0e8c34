import { OperatorError } from '../base/operator-error.ts'
import { isPagePath, pagePathRule, toPagePaths } from '../export/jobs/page-paths.ts'
import { type Deployment, type Features, resolveFeatures } from '../products/features.ts'
import type { Feature } from '../tenancy/removal-rules.ts'
import { parseDomain } from '../tenancy/site.ts'
import { parseSiteHeaders, type SiteHeaders } from '../web/fetch/site-headers.ts'

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

export function readFeatures(deployment: Deployment, asked: Partial<Features> | undefined): Features {
  return resolveFeatures(deployment, asked ?? {})
}
