import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Encoding, encodings, filesFolder, packedFolder } from '../versions/version.ts'
import type { Answer } from './answer.ts'
import { AnswerCache } from './answer-cache.ts'
import type { Accepted } from './encodings.ts'
import { type Found, findFile } from './find-file.ts'
import { isHashedName } from './hashed-name.ts'
import { canRun, findMediaType } from './media-types.ts'
import { adaptNotFoundPage, plainNotFound } from './not-found-page.ts'

/** Larger files are read from the disk for each request. */
const maxCachedFileBytes = 1024 ** 2
const maxNotFoundBytes = 4 * 1024 ** 2
const notFoundNames = ['404.html', '404/index.html']

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
}

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
  const { id, folder } = options
  const name = path.slice(path.lastIndexOf('/') + 1)
  const packed = await findPacked(folder, path, accepted)
  const file = packed?.file ?? join(folder, filesFolder, path)
  const size = packed?.sizeBytes ?? sizeBytes
  const body = size <= maxCachedFileBytes ? await readFile(file) : null
  // A version never changes, so the id of the version and the path identify a file that is too large to hash here.
  const digest = createHash('sha256').update(body ?? `${id} ${path}`)
  const etag = `"${digest.digest('hex').slice(0, 24)}${packed ? `-${packed.encoding}` : ''}"`
  const headers = writeHeaders(options, findMediaType(name), {
    'Content-Length': body?.length ?? size,
    ETag: etag,
    'Cache-Control': isHashedName(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Accept-Ranges': 'bytes',
    ...(packed && { 'Content-Encoding': packed.encoding }),
  })
  return { status: 200, headers, etag, sizeBytes: body?.length ?? size, body, file }
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

interface Packed {
  encoding: Encoding
  file: string
  sizeBytes: number
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

/** Reads the site's page for missing addresses; null = it has none. */
async function findNotFound(files: string): Promise<Buffer | null> {
  for (const name of notFoundNames) {
    const file = join(files, name)
    const found = await stat(file).catch(() => null)
    if (found?.isFile() && found.size <= maxNotFoundBytes) return readFile(file)
  }
  return null
}
