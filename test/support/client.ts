import { type Agent, request } from 'node:http'

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  json: Record<string, unknown>
}

/**
 * Sends a request exactly as written: the path is not normalised, and node:http adds only Host and the headers it needs.
 * `body` undefined = no body, no Content-Type and no Content-Length.
 */
export function send(
  serverUrl: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    agent = false,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer; agent?: Agent | false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(serverUrl)
  return new Promise((done, failed) => {
    const req = request({ hostname, port, path, method, headers, agent }, res => {
      const chunks: Buffer[] = []
      res.on('data', chunk => chunks.push(chunk))
      res.on('error', failed)
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = String(res.headers['content-type']).includes('json') && text !== ''
        done({ status: res.statusCode ?? 0, headers: res.headers, text, json: isJson ? JSON.parse(text) : {} })
      })
    })
    req.on('error', failed)
    if (method === 'POST' && body === undefined) req.removeHeader('Transfer-Encoding')
    req.end(body)
  })
}
