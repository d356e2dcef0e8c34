import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { twinPath } from '../../web/markdown/page-markdown.ts'
import { type Encoding, encodings, filesFolder, packedFolder } from '../versions/version.ts'
import { type Found, findFile } from './find-file.ts'
import { convertPage, findTwin } from './markdown.ts'
import { canRun, findMediaType } from './media-types.ts'
import { adaptNotFoundPage, isPage, packBody, packPage } from './page-head.ts'

/** Larger files are read from the disk for each request. */
const maxCachedFileBytes = 1024 ** 2
const maxNotFoundBytes = 4 * 1024 ** 2
const notFoundNames = ['404.html', '404/index.html']

/** The encodings that a client accepts, best first; one text, so that it can be part of a key. */
export type Accepted = '' | 'br' | 'gzip' | 'br gzip'

/** Whether the answer for a page is the page or its Markdown. */
export type Form = 'page' | 'markdown'

/** An answer that is the same for each request of its key. */
export interface Answer {
  status: 200 | 302 | 404
  /** Names and values, one after the other, as `writeHead` of Node takes them. */
  headers: readonly string[]
  /** null = conditions and ranges do not apply. */
  etag: string | null
  sizeBytes: number
  /** null = the body is read from `file` for each request. */
  body: Buffer | null
  file: string
}

/** A version that requests are answered from. */
export type ServedVersion = ReturnType<typeof openServedVersion>

export interface ServedVersionOptions {
  id: string
  /** The folder of the version. */
  folder: string
  /** Headers of all answers, see `writeSiteHeaders`. */
  siteHeaders: readonly string[]
  policy: string
  /** The request headers that answers depend on. */
  vary: string
  cacheBytes: number
  /** The path on the host under which the site is served, such as `/docs`; absent = the root. */
  base?: string
  /** HTML that each page gets at the start of its head; '' = none. */
  headStart: string
  /** Whether nothing may keep the answers, because the address is a secret. */
  isSecret?: boolean
}

/** Opens a version to answer requests from. */
export function openServedVersion(options: ServedVersionOptions) {
  const { id, folder, cacheBytes } = options
  const cache = new BoundedCache<string, Answer>(cacheBytes / 2, measure)
  let notFound: Promise<Answer> | undefined
  return {
    id,
    /**
     * Returns the answer if it is in the cache. It is also the fast path: it creates nothing.
     *
     * @param path of the request, encoded and without query.
     */
    recall: (path: string, accepted: Accepted, form: Form = 'page') => cache.get(`${form} ${accepted} ${path}`),
    /** Returns null if the version has no such file. Fails with ENOENT if the version was removed meanwhile. */
    async find(path: string, accepted: Accepted, form: Form = 'page'): Promise<Answer | null> {
      const files = join(folder, filesFolder)
      const found = await findFile(files, path)
      if (found.kind === 'moved') return redirect(options, found.to)
      const twin =
        found.kind === 'none'
          ? await findTwin(files, path)
          : form === 'markdown' && isPage(found.path)
            ? { page: found.path, twin: twinPath(found.path) }
            : null
      if (twin && 'moved' in twin) return redirect(options, twin.moved)
      const markdown = twin && (await openMarkdown(options, twin, accepted))
      const answer = markdown ?? (found.kind === 'file' ? await openFile(options, found, accepted) : null)
      if (answer) cache.set(`${form} ${accepted} ${path}`, answer)
      return answer
    },
    /** Returns the answer for a path that no version has. */
    notFound(): Promise<Answer> {
      notFound ??= openNotFound(options).catch(error => {
        notFound = undefined
        throw error
      })
      return notFound
    },
  }
}

function writeHeaders(
  { siteHeaders, policy, vary }: ServedVersionOptions,
  mediaType: string,
  more: Record<string, string | number>,
): string[] {
  const isNegotiated = /^text\/(html|markdown)/.test(mediaType) && more.ETag !== undefined
  const own = Object.entries({ 'Content-Type': mediaType, Vary: isNegotiated ? `${vary}, Accept` : vary, ...more })
  const safe = canRun(mediaType) ? ['Content-Security-Policy', policy] : []
  return [...own.flatMap(([name, value]) => [name, String(value)]), ...siteHeaders, ...safe]
}

async function openFile(
  options: ServedVersionOptions,
  { path, sizeBytes }: Found & { kind: 'file' },
  accepted: Accepted,
): Promise<Answer> {
  const { folder, headStart } = options
  const name = path.slice(path.lastIndexOf('/') + 1)
  const original = join(folder, filesFolder, path)
  const packed: Packed | null =
    headStart !== '' && isPage(name)
      ? await packPage(original, headStart, bestOf(accepted))
      : await findPacked(folder, path, accepted)
  return answerWith(options, path, packed ?? { encoding: null, file: original, sizeBytes })
}

/** Answers with the Markdown of a page: the twin in the bundle, or a conversion of the page; null = it is too large for one. */
async function openMarkdown(
  options: ServedVersionOptions,
  { page, twin }: { page: string; twin: string },
  accepted: Accepted,
): Promise<Answer | null> {
  const files = join(options.folder, filesFolder)
  const own = await stat(join(files, twin)).catch(() => null)
  if (own?.isFile()) return openFile(options, { kind: 'file', path: twin, sizeBytes: own.size }, accepted)
  const text = await convertPage(files, page)
  return text && answerWith(options, twin, { file: '', ...(await packBody(text, bestOf(accepted))) })
}

function bestOf(accepted: Accepted): Encoding | null {
  return encodings.find(encoding => accepted.includes(encoding)) ?? null
}

async function answerWith(options: ServedVersionOptions, path: string, packed: Packed): Promise<Answer> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const { file, sizeBytes: size, encoding } = packed
  const body = packed.body ?? (size <= maxCachedFileBytes ? await readFile(file) : null)
  // A version never changes, so the id of the version and the path identify a file that is too large to hash here.
  const digest = createHash('sha256').update(body ?? `${options.id} ${path}`)
  const etag = `"${digest.digest('hex').slice(0, 24)}${encoding ? `-${encoding}` : ''}"`
  const headers = writeHeaders(options, findMediaType(name), {
    'Content-Length': body?.length ?? size,
    ETag: etag,
    'Cache-Control': isHashedName(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(options.isSecret && secret),
    'Accept-Ranges': 'bytes',
    ...(encoding && { 'Content-Encoding': encoding }),
    ...(isPage(name) && { Link: announce(options, path) }),
  })
  return { status: 200, headers, etag, sizeBytes: body?.length ?? size, body, file }
}

/** Names the Markdown of a page to programs (RFC 8288). */
function announce({ base = '' }: ServedVersionOptions, path: string): string {
  const address = twinPath(path).split('/').map(encodeURIComponent).join('/')
  return `<${base}/${address}>; rel="alternate"; type="text/markdown"`
}

const secret = { 'Cache-Control': 'private, no-store' }

interface Packed {
  /** null = the file is not compressed. */
  encoding: Encoding | null
  file: string
  sizeBytes: number
  /** What is sent, if it is not read from the file. */
  body?: Buffer
}

/** Finds the best compressed file that the client accepts; null = none. */
async function findPacked(folder: string, path: string, accepted: Accepted): Promise<Packed | null> {
  for (const encoding of encodings) {
    if (!accepted.includes(encoding)) continue
    const file = join(folder, packedFolder(encoding), path)
    const found = await stat(file).catch(() => null)
    if (found?.isFile()) return { encoding, file, sizeBytes: found.size }
  }
  return null
}

/**
 * Decides whether a file name contains a hash of the content, as bundlers write it: `app.3f2a9b1c.js`, `index-BV4qtO0m.js`.
 * Browsers may keep such a file for ever. A hash has digits and letters; a word, a version or a date has not both. The mark of an
 * export (`name~3f2a9b1c.css`) is a hash of the name, and does not count.
 */
export function isHashedName(name: string): boolean {
  if (/\.x?html?$/i.test(name)) return false
  // The last part is the extension.
  const parts = name.split(/[.\-_]/).slice(0, -1)
  return parts.some((part, index) => isHexHash(part) || (index > 0 && isMixedHash(part)))
}

function isHexHash(part: string): boolean {
  return /^[0-9a-f]{8,64}$/.test(part) && /[0-9]/.test(part) && /[a-f]/.test(part)
}

/** Bundlers write 8 characters, or at least 16. Other lengths, and a first part, may be a name such as `Html5Parser`. */
function isMixedHash(part: string): boolean {
  return (
    /^([A-Za-z0-9]{8}|[A-Za-z0-9]{16,44})$/.test(part) && [/[0-9]/, /[a-z]/, /[A-Z]/].every(each => each.test(part))
  )
}

function redirect(options: ServedVersionOptions, to: string): Answer {
  const headers = writeHeaders(options, 'text/plain', {
    Location: `${options.base ?? ''}${to}`,
    'Content-Length': 0,
    'Cache-Control': 'no-cache',
    ...(options.isSecret && secret),
  })
  return { status: 302, headers, etag: null, sizeBytes: 0, body: Buffer.alloc(0), file: '' }
}

async function openNotFound(options: ServedVersionOptions): Promise<Answer> {
  const own = await findNotFound(join(options.folder, filesFolder))
  const { base = '' } = options
  const body = own ? adaptNotFoundPage(own, base) : Buffer.from(plainNotFound(base))
  const type = own ? 'text/html' : 'text/html; charset=utf-8'
  const headers = writeHeaders(options, type, { 'Content-Length': body.length, 'Cache-Control': 'no-cache' })
  return { status: 404, headers, etag: null, sizeBytes: body.length, body, file: '' }
}

/** Reads the site's page for missing addresses; null = it has none. */
async function findNotFound(files: string): Promise<Buffer | null> {
  for (const name of notFoundNames) {
    const file = join(files, name)
    const found = await stat(file).catch(() => null)
    if (found?.isFile() && found.size <= maxNotFoundBytes) return readFile(file)
  }
  return null
}

/** The page for missing addresses of a site that has none. */
const plainNotFound = (base: string) =>
  '<!doctype html>\n<html lang="en"><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>' +
  '<title>Page not found</title>\n<h1>Page not found</h1>\n<p>This site has no page with this address. ' +
  `<a href="${base}/">Go to its first page.</a></p>\n`

/** What an entry of the cache needs besides its body: the headers and the objects. */
const overheadBytes = 2048

function measure(key: string, { body }: Answer): number {
  return overheadBytes + key.length + (body?.length ?? 0)
}
