import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createViewLimit } from '../../tenancy/view-limit.ts'
import { createDocsServer, type DocsLibrary } from './docs-server.ts'

/** The path at which a host answers the Model Context Protocol. */
export const mcpPath = '/mcp'

/** Enough for an agent that works without pause, too few to keep the host busy. */
const maxCallsPerMinute = 120
/** The calls of the tools are short. */
const maxBodyBytes = 64 * 1024
/** Open streams of clients that wait for changes. There are none to tell. */
const maxSubscriptions = 20

interface McpHandlerOptions extends DocsLibrary {
  /** Origins whose pages may call the tools. Programs send none. */
  origins: readonly string[]
  findClient(req: IncomingMessage): string
  now(): number
  /** Called once for each request, when its answer or its connection ends. */
  onEnd?: ((req: IncomingMessage, res: ServerResponse, sentBytes: number) => void) | undefined
  onError(error: unknown): void
}

/** Creates a listener that answers the Model Context Protocol over Streamable HTTP, without sessions. */
export function createMcpListener(options: McpHandlerOptions): RequestListener {
  const { findClient, onEnd, onError } = options
  const limit = createViewLimit(options.now, maxCallsPerMinute)
  const handler = createMcpHandler(() => createDocsServer(options), {
    maxRequestBodySize: maxBodyBytes,
    maxSubscriptions,
    onerror: onError,
  })
  return (req, res) => {
    if (onEnd) res.once('close', () => onEnd(req, res, 0))
    const origin = req.headers.origin
    // A page whose host name leads to this machine could read the documentation of a private network otherwise.
    if (origin !== undefined && !options.origins.includes(origin) && !isLocal(origin))
      return refuse(res, 403, `Pages of this origin may not call the tools. Allow it with --cors-origin ${origin}`)
    const waitSeconds = limit.take(findClient(req))
    if (waitSeconds > 0)
      return refuse(res, 429, `More than ${maxCallsPerMinute} requests in a minute. Try again in ${waitSeconds} s.`, {
        'Retry-After': String(waitSeconds),
      })
    answer(req, res, handler.fetch).catch(error => {
      if (!res.destroyed) onError(error)
      if (res.headersSent) res.destroy()
      else refuse(res, 500, 'Internal server error.')
    })
  }
}

function isLocal(origin: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(URL.parse(origin)?.hostname ?? '')
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const method = req.method ?? 'GET'
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers.set(name, String(value))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const response = await fetch(
    new Request(`http://host${mcpPath}`, {
      method,
      headers,
      signal: gone.signal,
      ...(hasBody && { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' }),
    } as RequestInit),
  )
  res.writeHead(response.status, { ...Object.fromEntries(response.headers), 'Cache-Control': 'no-store' })
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), res)
  else res.end()
}

/** Refuses as JSON-RPC, which clients show. */
function refuse(res: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } })
  res.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(body)
}
