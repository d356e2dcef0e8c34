import { Agent, request } from 'undici'
import { toFetchError } from './fetch-error.ts'
import { maxHeaderBytes } from './guarded-agent.ts'
import { firstValue, followRedirects } from './request.ts'

interface SmallOptions {
  method: 'GET' | 'HEAD'
  /** Time for everything. */
  timeoutMs: number
  /** A longer body counts as none. */
  maxBytes: number
  signal: AbortSignal
}

/**
 * Requests something small, once. The address comes from the operator, so it may be private.
 *
 * @throws {FetchError} without an answer.
 */
export async function fetchSmall(
  url: URL,
  { method, timeoutMs, maxBytes, signal }: SmallOptions,
): Promise<{ status: number; header(name: string): string | undefined; text: string }> {
  const dispatcher = new Agent({ connect: { timeout: timeoutMs }, maxHeaderSize: maxHeaderBytes })
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    return await followRedirects(url, {
      maxRedirects: 5,
      isExcluded: next => url.protocol === 'https:' && next.protocol !== 'https:',
      request: target => request(target, { method, dispatcher, signal: either }),
      async arrive(_url, _isRedirected, { statusCode, headers, body }) {
        const chunks: Buffer[] = []
        let bytes = 0
        for await (const chunk of body as AsyncIterable<Buffer>) {
          bytes += chunk.length
          if (bytes > maxBytes) break
          chunks.push(chunk)
        }
        const text = bytes > maxBytes ? '' : Buffer.concat(chunks).toString()
        return { status: statusCode, header: name => firstValue(headers[name]), text }
      },
    })
  } catch (error) {
    throw toFetchError(error, url, signal, { pageTimeoutMs: timeoutMs })
  } finally {
    await dispatcher.destroy()
  }
}
