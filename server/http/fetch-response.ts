import type { AnyRoute as Route } from '../../generated/operations.ts'
import { type ErrorBody, finishError, prefersProblem, problemJson } from './error-body.ts'

/** An answer of any operation. */
export interface Answer {
  status: number
  mediaType?: string | undefined
  headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Text in parts if there is a media type other than JSON. */
  body?: unknown
}

/** Converts the answer of a handler to a response with these headers. */
export function toResponse(request: Request, answer: Answer, headers: Headers, route: Route | undefined): Response {
  const { status, mediaType, headers: own = {}, body } = answer
  for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value)
  if (route && own.ETag !== undefined) allowReuse(route, headers)
  if (status >= 400) return toErrorResponse(request, status, body as ErrorBody, headers)
  if (body === undefined) return new Response(null, { status, headers })
  const isJsonAnswer = mediaType === undefined || mediaType === 'application/json'
  headers.set('Content-Type', isJsonAnswer ? 'application/json; charset=utf-8' : `${mediaType}; charset=utf-8`)
  const content = isJsonAnswer ? JSON.stringify(body) : toStream(body as AsyncIterable<Uint8Array<ArrayBuffer>>)
  return new Response(request.method === 'HEAD' ? null : content, { status, headers })
}

/** Converts an error to a response, in the form that the client prefers. */
export function toErrorResponse(request: Request, status: number, body: ErrorBody, headers: Headers): Response {
  const isProblem = prefersProblem(request.headers.get('Accept') ?? undefined)
  const finished = finishError(status, body, { requestId: headers.get('X-Request-Id') ?? '', isProblem })
  headers.set('Content-Type', isProblem ? problemJson : 'application/json; charset=utf-8')
  return new Response(request.method === 'HEAD' ? null : JSON.stringify(finished), { status, headers })
}

/** Lets browsers keep an answer with an ETag, as `allowReuse` in `unchanged.ts` does. */
export function allowReuse({ mediaTypes }: Route, headers: Headers): void {
  headers.set('Cache-Control', 'private, no-cache')
  if (mediaTypes.length > 1) headers.append('Vary', 'Accept')
}

/** Whether a client has the answer with this ETag (RFC 9110, 13.1.2), and does not ask for a new one. */
export function isUnchanged(headers: Headers, etag: string): boolean {
  if (/(?:^|,)\s*?no-cache\s*?(?:,|$)/.test(headers.get('Cache-Control') ?? '')) return false
  const tags = (headers.get('If-None-Match') ?? '').split(',').map(tag => tag.trim())
  return tags.some(tag => opaqueTag(tag) === opaqueTag(etag)) || (tags.length === 1 && tags[0] === '*')
}

/** Weak and strong tags are compared without the mark of weak ones. */
function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** Converts parts to a stream. Web browsers and workers lack `ReadableStream.from`. */
function toStream(parts: AsyncIterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(stream) {
      const next = await iterator.next()
      if (next.done) stream.close()
      else stream.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
