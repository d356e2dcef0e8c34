import { createReadStream } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { type Encoding, encodings } from '../versions/version.ts'
import { prefersMarkdown } from './markdown.ts'
import { type Accepted, type Answer, type Form, isHashedName, type ServedVersion } from './served-version.ts'

const chunkBytes = 256 * 1024

/** The versions that requests are answered from. */
export interface ServedVersions {
  /** null = none yet. */
  current(): ServedVersion | null
  /** Earlier versions, newest first. A page of one of them may still be open in a browser, and load its scripts. */
  earlier(): readonly ServedVersion[]
}

export interface SiteHandlerOptions extends ServedVersions {
  /** Origins whose scripts may read the site. */
  corsOrigins: readonly string[]
  /** Called once for each request, when its answer or its connection ends. */
  onEnd?: ((req: IncomingMessage, res: ServerResponse, sentBytes: number) => void) | undefined
  /** Called when a file cannot be read. */
  onError(error: unknown): void
}

/** Creates the handler of a site. Each answer is complete and comes from one version, also while the version is switched. */
export function createSiteHandler(options: SiteHandlerOptions): RequestListener {
  const { corsOrigins, onEnd, onError } = options
  const origins = new Set(corsOrigins)

  return (req, res) => {
    const { method, headers } = req
    const note = onEnd ? watchEnd(req, res, onEnd) : ignore
    if (method !== 'GET' && method !== 'HEAD') return note(refuse(res, 405, { Allow: 'GET, HEAD' }))
    if (origins.size > 0) allowOrigin(res, origins, headers.origin)
    const path = readPath(req.url ?? '')
    const version = options.current()
    if (!version) return note(refuse(res, 503, { 'Retry-After': '5' }))
    // A range of a compressed file would be of no use to a client that goes on with a download.
    const accepted = headers.range === undefined ? readAccepted(headers['accept-encoding'] as string | undefined) : ''
    const form = prefersMarkdown(headers.accept) ? 'markdown' : 'page'
    const ready = version.recall(path, accepted, form)
    if (ready) return note(send(req, res, ready))
    findAnswer(options, version, path, accepted, form)
      .then(answer => note(send(req, res, answer)))
      .catch(error => {
        onError(error)
        if (res.headersSent) res.destroy()
        else note(refuse(res, 500, {}))
      })
  }
}

/** Browsers and programs send few different headers. */
const maxRemembered = 200
const remembered = new Map<string, Accepted>()

/** Reads an `Accept-Encoding` header (RFC 9110, 12.5.3). */
export function readAccepted(header: string | undefined): Accepted {
  if (header === undefined || header === '') return ''
  const known = remembered.get(header)
  if (known !== undefined) return known
  const accepted = encodings.filter(encoding => isAccepted(header, encoding)).join(' ') as Accepted
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(header, accepted)
  return accepted
}

function isAccepted(header: string, encoding: Encoding): boolean {
  const parts = header.toLowerCase().split(',')
  const nameOf = (part: string) => part.split(';', 1)[0]?.trim()
  const named = parts.find(part => nameOf(part) === encoding || (encoding === 'gzip' && nameOf(part) === 'x-gzip'))
  const [, ...parameters] = (named ?? parts.find(part => nameOf(part) === '*') ?? ';q=0').split(';')
  const weight = parameters.map(parameter => parameter.trim()).find(parameter => parameter.startsWith('q='))
  return weight === undefined || Number(weight.slice(2)) > 0
}

/** Finds the answer in a version. If the version is removed meanwhile, finds it in the next one. */
async function findAnswer(
  versions: ServedVersions,
  version: ServedVersion,
  path: string,
  accepted: Accepted,
  form: Form,
): Promise<Answer> {
  try {
    const found = await version.find(path, accepted, form)
    if (found) return found
    if (isHashedName(path.slice(path.lastIndexOf('/') + 1)))
      for (const earlier of versions.earlier()) {
        const old = await earlier.find(path, accepted)
        if (old?.status === 200) return old
      }
    return await version.notFound()
  } catch (error) {
    const next = versions.current()
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !next || next === version) throw error
    return findAnswer(versions, next, path, accepted, form)
  }
}

/** Returns how many bytes the body of the response has. */
function send(req: IncomingMessage, res: ServerResponse, answer: Answer): number {
  const { headers, method } = req
  const { etag, sizeBytes } = answer
  if (res.destroyed) return 0
  if (etag !== null) {
    const unless = headers['if-none-match']
    if (unless !== undefined && matchesAny(unless, etag)) return sendUnchanged(res, answer)
    if (headers.range !== undefined && method === 'GET') {
      const condition = headers['if-range'] as string | undefined
      const isSame = condition === undefined || matchesStrongly(condition, etag)
      const range = isSame ? readRange(headers.range, sizeBytes) : null
      if (range === 'unsatisfiable') return refuse(res, 416, { 'Content-Range': `bytes */${sizeBytes}` })
      if (range) return sendPart(res, answer, range)
    }
  }
  res.writeHead(answer.status, answer.headers as string[])
  if (method === 'HEAD') res.end()
  else if (answer.body) res.end(answer.body)
  else sendFile(res, answer.file, { first: 0, last: sizeBytes - 1 })
  return method === 'HEAD' ? 0 : sizeBytes
}

/** Decides whether an `If-None-Match` header names an ETag, by the weak comparison (RFC 9110, 13.1.2). */
export function matchesAny(header: string, etag: string): boolean {
  if (header === etag || header === '*') return true
  return header.split(',').some(part => part.trim().replace(/^W\//, '') === etag)
}

/** Decides whether an `If-Range` header names an ETag. A weak tag and a date never do (RFC 9110, 13.1.5). */
export function matchesStrongly(header: string, etag: string): boolean {
  return header.trim() === etag
}

/** Positions of the first and the last byte. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Reads a `Range` header (RFC 9110, 14.1.2). Several ranges, other units and invalid texts are ignored, as the standard allows.
 *
 * @return null = the whole file.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  // With two `\s*` in a row, 8 KB of tabs would take a minute.
  const [, from = '', to = ''] = /^\s*bytes\s*=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 }
  }
  const first = Number(from)
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  if (to !== '' && Number(to) < first) return null
  return first >= sizeBytes ? 'unsatisfiable' : { first, last }
}

function sendUnchanged(res: ServerResponse, { headers }: Answer): number {
  res.writeHead(304, withoutLength(headers))
  res.end()
  return 0
}

function sendPart(res: ServerResponse, { headers, body, file, sizeBytes }: Answer, range: ByteRange): number {
  const { first, last } = range
  const part = ['Content-Range', `bytes ${first}-${last}/${sizeBytes}`, 'Content-Length', String(last - first + 1)]
  res.writeHead(206, [...withoutLength(headers), ...part])
  if (body) res.end(body.subarray(first, last + 1))
  else sendFile(res, file, range)
  return last - first + 1
}

/** Streams a part of a file. If the file cannot be read to its end, the connection is cut, so that the client notices. */
function sendFile(res: ServerResponse, file: string, { first, last }: ByteRange): void {
  const source = createReadStream(file, { start: first, end: last, highWaterMark: chunkBytes })
  pipeline(source, res, error => {
    if (error) res.destroy()
  })
}

function withoutLength(headers: readonly string[]): string[] {
  const at = headers.indexOf('Content-Length')
  return at === -1 ? [...headers] : [...headers.slice(0, at), ...headers.slice(at + 2)]
}

function refuse(res: ServerResponse, status: number, headers: Record<string, string>): number {
  const body = `${refusals[status]}\n`
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  })
  res.end(body)
  return body.length
}

const refusals: Readonly<Record<number, string>> = {
  405: 'This site answers only GET and HEAD.',
  416: 'The file does not have this range.',
  500: 'Internal server error.',
  503: 'The site is not here yet. Its bundle is being fetched.',
}

/** Returns the path of a request target, also of one in the absolute form that proxies send. */
function readPath(target: string): string {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*(?=\/)/i, '')
}

function allowOrigin(res: ServerResponse, origins: ReadonlySet<string>, origin: string | undefined): void {
  if (origin !== undefined && origins.has(origin)) res.setHeader('Access-Control-Allow-Origin', origin)
}

const ignore = () => {}

/** Calls `onEnd` when the response ends. Returns a function that takes the size of its body. */
function watchEnd(
  req: IncomingMessage,
  res: ServerResponse,
  onEnd: NonNullable<SiteHandlerOptions['onEnd']>,
): (bodyBytes: number) => void {
  const { socket } = req
  const before = socket.bytesWritten
  let bodyBytes = 0
  res.once('close', () =>
    onEnd(req, res, res.writableFinished ? bodyBytes : Math.min(bodyBytes, socket.bytesWritten - before)),
  )
  return bytes => {
    bodyBytes = bytes
  }
}
