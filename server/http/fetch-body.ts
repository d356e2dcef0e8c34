import type { Route } from '../../generated/operations.ts'
import { isJson, jsonOnly } from './body-type.ts'

/**
 * Reads the JSON body of a request of the Fetch API; undefined for an operation without one.
 *
 * @throws {HttpError} 415
 * @throws {object} with the `type` of the errors of body-parser, which `toRequestError` converts
 */
export async function readFetchBody(request: Request, { hasBody }: Route, limitBytes: number): Promise<unknown> {
  if (!hasBody) return undefined
  if (!isJson(request.headers.get('Content-Type') ?? undefined)) throw jsonOnly()
  const text = await readText(decompress(request), limitBytes)
  try {
    // As express.json does, which takes no body for an empty object.
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw { type: 'entity.parse.failed' }
  }
}

function decompress({ body, headers }: Request): ReadableStream<Uint8Array> | null {
  const encoding = (headers.get('Content-Encoding') ?? 'identity').toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'deflate') throw { type: 'encoding.unsupported' }
  return body?.pipeThrough(new DecompressionStream(encoding)) ?? null
}

/** Reads a part. Only a body that does not match its Content-Encoding cannot be read. */
async function readPart(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw { code: 'Z_DATA_ERROR' }
  }
}

async function readText(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let sizeBytes = 0
  for (let next = await readPart(reader); !next.done; next = await readPart(reader)) {
    sizeBytes += next.value.length
    if (sizeBytes > limitBytes) {
      await reader.cancel()
      throw { type: 'entity.too.large' }
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
