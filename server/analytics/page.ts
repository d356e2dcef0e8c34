/** A requested page, or the reason why the request was not for a page. */
export type Page = KnownPage | RefusedPage

export interface RefusedPage {
  refusal: 'asset' | 'machine-file' | 'router-data' | 'service' | 'scan' | 'sent-view' | 'bad-path'
  /** Set for a file that tells AI about the site, in any folder: `llms.txt`, `llms-full.txt`, or `llms-*.txt` for others. */
  llmsFile?: string
  /** Set for what browsers load for a page: a style sheet, script, font or picture. */
  isPart?: boolean
}

export interface KnownPage {
  /** Starts with a slash; printable ASCII; at most 3 × 2,048 characters, because percent-encoding may triple the length. */
  path: string
  isMarkdown: boolean
  refusal?: undefined
}

const maxPathBytes = 2048

const assetExtensions = new Set(
  (
    'css js mjs cjs map wasm ts tsx jsx scss less ' +
    'png jpg jpeg jpe gif webp avif svg svgz ico cur bmp tif tiff heic heif jxl apng psd ' +
    'woff woff2 ttf otf eot ' +
    'mp3 mp4 m4a m4v webm ogg ogv oga opus wav flac aac mov avi mkv mpg mpeg vtt srt ' +
    'pdf ps epub doc docx xls xlsx ppt pptx odt ods csv tsv ' +
    'zip gz tgz bz2 xz zst br 7z rar tar iso dmg pkg deb rpm exe msi apk jar whl bin dat'
  ).split(' '),
)
/** The assets that browsers load to show a page. */
const partExtensions = new Set('css js mjs woff woff2 ttf otf eot png jpg jpeg gif webp avif svg ico'.split(' '))
const assetFolders = /^\/(_next|_nuxt|_astro|_app|_vercel|cdn-cgi)\//

/** Extensions of files for programs: crawler rules, site maps, feeds, llms.txt, manifests, API descriptions. */
const machineExtensions = new Set(
  'txt xml rss atom json json5 jsonl ndjson jsonld yaml yml toml webmanifest'.split(' '),
)
const machineFiles = /^\/(\.well-known\/|(feed|rss|atom)\/?$|skill\.md$|skills\/[^/]+\/SKILL\.md$)/

/**
 * What routers of web frameworks fetch instead of a page, often for each link that is in sight: React Server Components and
 * the data files of Next.js, the loaders of Remix and React Router, SvelteKit, Nuxt, Gatsby, Qwik and Vike.
 */
const routerQuery = /(?:^|[?&])(?:_rsc|_data)=/
const routerFiles =
  /\.(?:rsc|data)$|\/(?:__data|_payload|page-data|app-data|q-data|[^/]*\.pageContext)\.json$|\/_payload\.js$|^\/(?:_next\/data\/|__manifest$)/

/** Endpoints for programs that a single-page app answers with 200 as well. */
const services = /^\/(?:mcp|sse|healthz?|_health|livez|readyz|server-status|nginx_status|api\/(?:mcp|healthz?))\/?$/
/** The search of a site. A page of the API reference with this path has no query. */
const searchPath = '/api/search'

/** Hidden files, backups and files of other systems, which only scanners ask a documentation site for. */
const scanTargets =
  /\/\.(?!well-known\/|(?:md|html)$)[^/]|\/wp-(?:login|admin|content|includes|json|config|cron|signup)|\/(?:xmlrpc|phpinfo|adminer|eval-stdin|shell|wlwmanifest)\.(?:php|xml)$|\.(?:sql|bak|swp|env|pem)$|^\/(?:phpmyadmin|cgi-bin|boaform|HNAP1|_ignition|vendor\/phpunit|actuator|solr\/admin)(?:\/|$)/i

/** What the script for counting asks for when a page is opened, with the page in its query; see `sent-view.ts`. */
export const viewPath = '/_quire/view'

const absoluteForm = /^https?:\/\/[^/?#]*/i

/**
 * Converts a request target to the canonical path of its page.
 *
 * - The query and fragment are removed, as are the scheme and host of an absolute-form target (RFC 9112, 3.2.2).
 * - Percent-encoding is normalised (RFC 3986, 6.2.2): `%7e` is `~`, `%c3` is `%C3`, a raw space or non-ASCII byte is
 *   encoded. A path is refused if it has over 2,048 bytes as sent, or contains a control character, encoded or not.
 * - The data requests of routers, services for programs and the targets of scanners are not pages, whatever the status is.
 * - An asset is detected by the extension of its last segment or by the folder of a build tool. An unknown extension is
 *   part of the name: `/v1.2` and `/3.11` are pages. A path that ends in a slash is a page: `/guides/node.js/`.
 * - Trailing slashes are removed, then `.html` or `.md`, then a last segment `index`. So `/a`, `/a/`, `/a.md` and
 *   `/a/index.html` are one page. A request for `.md` is a Markdown view.
 *
 * @param target bytes as a latin1 string; the log's escapes are already decoded
 * @param options.isPage whether a project says that the path is of a page; then only `bad-path` is refused
 */
export function toPage(target: string, { isPage = false } = {}): Page {
  const sent = cutToPath(target)
  if (sent.length > maxPathBytes || !sent.startsWith('/')) return { refusal: 'bad-path' }
  const path = normalizePercent(sent)
  if (path === undefined) return { refusal: 'bad-path' }

  const refused = isPage ? undefined : refuse(path)
  if (refused) return refused

  const trimmed = trimSlashes(path)
  const suffix = /\.(html|md)$/i.exec(trimmed)
  const stem = suffix ? trimmed.slice(0, suffix.index) : trimmed
  const folder = stem.endsWith('/index') ? stem.slice(0, -'index'.length) : stem
  return { path: trimSlashes(folder) || '/', isMarkdown: suffix?.[1]?.toLowerCase() === 'md' }
}

function refuse(path: string): RefusedPage | undefined {
  if (path === viewPath) return { refusal: 'sent-view' }
  if (routerFiles.test(path)) return { refusal: 'router-data' }
  if (scanTargets.test(path)) return { refusal: 'scan' }
  if (services.test(path)) return { refusal: 'service' }
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  if (assetExtensions.has(extension) || assetFolders.test(path)) {
    return { refusal: 'asset', ...(partExtensions.has(extension) && { isPart: true }) }
  }
  return machineExtensions.has(extension) || machineFiles.test(path) ? toMachineFile(path) : undefined
}

/**
 * Returns why a request for a page is none, by its query.
 *
 * @param query not empty, with or without its question mark
 */
export function refuseByQuery({ path }: KnownPage, query: string): 'router-data' | 'service' | undefined {
  if (routerQuery.test(query)) return 'router-data'
  return path === searchPath ? 'service' : undefined
}

/** See https://llmstxt.org */
function toMachineFile(path: string): RefusedPage {
  const [, name, suffix] = /\/(llms(-[a-z]+)?\.txt)$/.exec(path) ?? []
  if (name === undefined) return { refusal: 'machine-file' }
  return { refusal: 'machine-file', llmsFile: suffix === undefined || suffix === '-full' ? name : 'llms-*.txt' }
}

function cutToPath(target: string): string {
  const end = target.search(/[?#]/)
  const cut = end === -1 ? target : target.slice(0, end)
  const origin = absoluteForm.exec(cut)?.[0]
  return origin === undefined ? cut : cut.slice(origin.length) || '/'
}

/** Returns undefined when the path contains a control character. */
function normalizePercent(path: string): string | undefined {
  if (/^[!-$&-~]*$/.test(path)) return path
  let isClean = true
  const normal = path.replace(/%([0-9a-f]{2})|[^!-~]/gi, (sent, hex?: string) => {
    const code = hex === undefined ? sent.charCodeAt(0) : Number.parseInt(hex, 16)
    if (code < 0x20 || code === 0x7f) isClean = false
    const isUnreserved = hex !== undefined && /[A-Za-z0-9._~-]/.test(String.fromCharCode(code))
    return isUnreserved ? String.fromCharCode(code) : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
  return isClean ? normal : undefined
}

function trimSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--
  return path.slice(0, end)
}

/** Returns the path of the page that a person means, such as `/a` for `/a/`; the text itself if it is no page. */
export function toPagePath(text: string): string {
  const page = toPage(text, { isPage: true })
  return 'path' in page ? page.path : text
}
