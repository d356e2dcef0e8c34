import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  id: string
  /** The path of the address, so that one receiver serves several webhooks. */
  path: string
  headers: IncomingMessage['headers']
  body: string
  at: number
}

/** A server on this machine that receives deliveries, and the answers that it gives. */
export interface Receiver {
  url: string
  received: Received[]
  close(): Promise<void>
}

export type Answer = (received: Received, response: ServerResponse, count: number) => void

export const ok: Answer = (_, response) => void response.writeHead(204).end()

/** @param answer is called with the number of requests so far, from 1 */
export async function startReceiver(answer: Answer = ok): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender was killed.
      return
    }
    const got = {
      id: String(request.headers['webhook-id']),
      path: String(request.url),
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      at: Date.now(),
    }
    received.push(got)
    answer(got, response, received.length)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    close: () =>
      new Promise(done => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** Verifies as a receiver does, without the code of Quire. */
export function isSignedBy(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const wanted = `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(wanted)
}
