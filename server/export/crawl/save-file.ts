import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Answer } from '../../web/fetch/fetcher.ts'
import { decodeRaw, headerCharset, readRawText } from '../../web/html/text-encoding.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import type { FileOutcome, Resource } from '../model/resource.ts'
import { type CrawlTools, checkTotal, workFile } from './crawl-tools.ts'
import type { TextFile } from './file-needs.ts'

/** A file, and how it is loaded. */
interface FileRequest {
  key: string
  role: UrlRole
}

type SaveTools = Pick<CrawlTools, 'site' | 'fetcher' | 'limits' | 'folder'>

/**
 * Fetches a file into the work folder.
 *
 * @param onText called with a style sheet, script or manifest, before it is saved.
 */
export async function fetchFile(
  tools: SaveTools & Pick<CrawlTools, 'isAllowed'>,
  url: URL,
  request: FileRequest,
  onText: (file: TextFile) => void,
): Promise<FileOutcome> {
  const { site, isAllowed } = tools
  if (site.own(url) && !isAllowed(url)) return { state: 'missing', reason: 'refused by robots.txt' }
  const answer = await tools.fetcher.open(url)
  const landed = answer.redirected ? site.own(answer.url) : null
  const reason = landed && !isAllowed(landed) ? 'refused by robots.txt' : explainNoFile(answer)
  if (reason) {
    await answer.drop()
    return { state: 'missing', reason }
  }
  return { state: 'file', resource: await saveFile(tools, answer, request, onText) }
}

function explainNoFile({ status, type }: Answer): string | null {
  if (status >= 400 || status < 200) return `status ${status}`
  return type === 'text/html' ? 'got an HTML page instead of a file' : null
}

/** Saves the body of an answer in the work folder; see `fetchFile`. */
export async function saveFile(
  tools: SaveTools,
  answer: Answer,
  { key, role }: FileRequest,
  onText: (file: TextFile) => void,
): Promise<Resource> {
  const own = tools.site.own(answer.url)
  const url = own ?? answer.url
  const file = workFile(tools, key)
  const kind = kindOf(answer.type, url, role)
  const base = { key, url, kind, type: answer.type, file, span: null, rendered: false, hasScripts: false }
  if (kind === 'file') {
    const saved = await answer.save(file, tools.limits.fileBytes)
    checkTotal(tools)
    return { ...base, charset: 'utf-8', ...saved }
  }
  const bytes = await answer.read(tools.limits.pageBytes)
  checkTotal(tools)
  const raw = readRawText(bytes, headerCharset(answer.contentType))
  onText({ kind, text: decodeRaw(raw.text, raw.charset), url, isOwn: own !== null })
  await writeFile(file, raw.text, 'latin1')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...base, charset: raw.charset, sizeBytes: bytes.length, sha256 }
}

function kindOf(type: string, url: URL, role: UrlRole): 'file' | TextFile['kind'] {
  if (type === 'text/css') return 'stylesheet'
  if (type === 'application/manifest+json' || /\.webmanifest$/i.test(url.pathname)) return 'manifest'
  // Browsers run a script even if the server sends it with a wrong type.
  if (/javascript/.test(type) || (role === 'script' && /^(text\/plain|application\/octet-stream)?$/.test(type)))
    return 'script'
  return 'file'
}
