import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Encoding, encodings, filesFolder, packedFolder } from '../versions/version.ts'
import { type Found, findFile } from './find-file.ts'
import { canRun, findMediaType } from './media-types.ts'
import { adaptNotFoundPage, isPage, packPage } from './page-head.ts'

/** Larger files are read from the disk for each request. */
const maxCachedFileBytes = 1024 ** 2
const maxNotFoundBytes = 4 * 1024 ** 2
const notFoundNames = ['404.html', '404/index.html']

/** The encodings that a client accepts, best first; one text, so that it can be part of a key. */
export type Accepted = '' | 'br' | 'gzip' | 'br gzip'

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
export interface ServedVersion {
  readonly id: string
  /**
   * Returns the answer if it is in the cache. It is also the fast path: it creates nothing.
   *
   * @param path of the request, encoded and without query.
   */
  recall(path: string, accepted: Accepted): Answer | undefined
  /** Returns null if the version has no such file. Fails with ENOENT if the version was removed meanwhile. */
  find(path: string, accepted: Accepted): Promise<Answer | null>
  /** Returns the answer for a path that no version has. */
  notFound(): Promise<Answer>
}

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
  /** HTML that each page gets at the start of its head; '' = none. */
  headStart: string
}

/** Opens a version to answer requests from. */
export function openServedVersion(options: ServedVersionOptions): ServedVersion {
  const { id, folder, cacheBytes } = options
  const cache = new AnswerCache(cacheBytes)
  let notFound: Promise<Answer> | undefined
  return {
    id,
    recall: (path, accepted) => cache.get(`${accepted} ${path}`),
    async find(path, accepted) {
      const found = await findFile(join(folder, filesFolder), path)
      if (found.kind === 'none') return null
      if (found.kind === 'moved') return redirect(options, found.to)
      const answer = await openFile(options, found, accepted)
      cache.set(`${accepted} ${path}`, answer)
      return answer
    },
    notFound() {
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
  const own = Object.entries({ 'Content-Type': mediaType, Vary: vary, ...more })
  const safe = canRun(mediaType) ? ['Content-Security-Policy', policy] : []
  return [...own.flatMap(([name, value]) => [name, String(value)]), ...siteHeaders, ...safe]
}

async function openFile(
  options: ServedVersionOptions,
  { path, sizeBytes }: Found & { kind: 'file' },
  accepted: Accepted,
): Promise<Answer> {
  const { id, folder, headStart } = options
  const name = path.slice(path.lastIndexOf('/') + 1)
  const original = join(folder, filesFolder, path)
  const best = encodings.find(encoding => accepted.includes(encoding)) ?? null
  const packed: Packed | null =
    headStart !== '' && isPage(name)
      ? await packPage(original, headStart, best)
      : await findPacked(folder, path, accepted)
  const file = packed?.file ?? original
  const size = packed?.sizeBytes ?? sizeBytes
  const body = packed?.body ?? (size <= maxCachedFileBytes ? await readFile(file) : null)
  // A version never changes, so the id of the version and the path identify a file that is too large to hash here.
  const digest = createHash('sha256').update(body ?? `${id} ${path}`)
  const etag = `"${digest.digest('hex').slice(0, 24)}${packed?.encoding ? `-${packed.encoding}` : ''}"`
  const headers = writeHeaders(options, findMediaType(name), {
    'Content-Length': body?.length ?? size,
    ETag: etag,
    'Cache-Control': isHashedName(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Accept-Ranges': 'bytes',
    ...(packed?.encoding && { 'Content-Encoding': packed.encoding }),
  })
  return { status: 200, headers, etag, sizeBytes: body?.length ?? size, body, file }
}

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
    Location: to,
    'Content-Length': 0,
    'Cache-Control': 'no-cache',
  })
  return { status: 302, headers, etag: null, sizeBytes: 0, body: Buffer.alloc(0), file: '' }
}

async function openNotFound(options: ServedVersionOptions): Promise<Answer> {
  const own = await findNotFound(join(options.folder, filesFolder))
  const body = own ? adaptNotFoundPage(own) : Buffer.from(plainNotFound)
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
const plainNotFound =
  '<!doctype html>\n<html lang="en"><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>' +
  '<title>Page not found</title>\n<h1>Page not found</h1>\n<p>This site has no page with this address. ' +
  '<a href="/">Go to its first page.</a></p>\n'

/** What an entry needs besides its body: the key, the headers and the objects. */
const overheadBytes = 2048

/**
 * Keeps answers with their bodies, up to `maxBytes` together. It has two halves: when the young half is full, it replaces the
 * old one. Entries in use stay.
 */
class AnswerCache {
  readonly #halfBytes: number
  #young = new Map<string, Answer>()
  #old = new Map<string, Answer>()
  #youngBytes = 0

  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2
  }

  get(key: string): Answer | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, answer: Answer): void {
    const bytes = overheadBytes + key.length + (answer.body?.length ?? 0)
    if (bytes > this.#halfBytes) return
    if (this.#youngBytes + bytes > this.#halfBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, answer)
    this.#youngBytes += bytes
  }
}
