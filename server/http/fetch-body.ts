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
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw { type: 'encoding.unsupported' }
  const text = await readText(request, limitBytes)
  try {
    // As express.json does, which takes no body for an empty object.
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw { type: 'entity.parse.failed' }
  }
}

async function readText({ body }: Request, limitBytes: number): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let sizeBytes = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    sizeBytes += next.value.length
    if (sizeBytes > limitBytes) {
      await reader.cancel()
      throw { type: 'entity.too.large' }
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
