import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '../../../spec/package/client/index.ts'

/** Answers one request for the bundle. */
export type Send = (req: IncomingMessage, res: ServerResponse) => void

export interface BundleServer {
  client: ReturnType<typeof createClient>
  /** The Range of each request for the bundle; '' = none. */
  ranges: string[]
  /** The Authorization headers that requests for the bundle had. */
  keys: string[]
  /** The bodies and idempotency keys of the starts. */
  starts: { key: string | undefined; body: unknown }[]
  /** How many links were requested. */
  links(): number
  close(): Promise<void>
}

interface BundleServerOptions {
  bytes: Buffer
  /** The answers to requests for the bundle, in turn. After them, the server sends what is asked for. */
  script?: Send[]
  /** Replaces fields of the link. */
  announce?: { sha256?: string; sizeBytes?: number }
  /** The states of the export job, in turn. */
  jobs?: object[]
  /** The status of the first request for a link. */
  refusal?: number
}

/** Starts a small server of one export job and its bundle on a free port. */
export async function startBundleServer({
  bytes,
  script = [],
  announce = {},
  jobs = [{ status: 'completed' }],
  refusal,
}: BundleServerOptions): Promise<BundleServer> {
  const ranges: string[] = []
  const keys: string[] = []
  const starts: BundleServer['starts'] = []
  let links = 0
  let polls = 0
  const server = createServer(async (req, res) => {
    const { origin } = new URL(`http://${req.headers.host}`)
    const job = (fields: object) => ({ jobId: 'se_1', progress: 0, pageCount: 0, error: null, ...fields })
    if (req.url === '/v1/static-export/jobs') {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk)
      starts.push({ key: String(req.headers['idempotency-key']), body: JSON.parse(Buffer.concat(chunks).toString()) })
      return json(res, 202, job({ status: 'queued' }))
    }
    if (req.url === '/v1/static-export/jobs/se_1') {
      return json(res, 200, job(jobs[Math.min(polls++, jobs.length - 1)] ?? {}))
    }
    if (req.url === '/v1/static-export/jobs/se_1/bundle') {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const bundleUrl = `${origin}/bundle/${++links}`
      if (links === 1 && refusal !== undefined) return json(res, refusal, { error: 'The job has not finished yet.' })
      return json(res, 200, { jobId: 'se_1', bundleUrl, sizeBytes: bytes.length, sha256, ...announce })
    }
    keys.push(req.headers.authorization ?? '')
    ranges.push(req.headers.range ?? '')
    const send = script[ranges.length - 1] ?? sendRange(bytes)
    send(req, res)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'quire_test',
  })
  return {
    client,
    ranges,
    keys,
    starts,
    links: () => links,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

/** Sends the range that is asked for. */
export function sendRange(bytes: Buffer): Send {
  return (req, res) => {
    const rest = bytes.subarray(startOf(req))
    res.writeHead(req.headers.range === undefined ? 200 : 206, describeRange(req, bytes)).end(rest)
  }
}

/** Sends the range that is asked for up to a place, and breaks the connection when the client has this part. */
export function breakAt(bytes: Buffer, place: number, hasArrived: (place: number) => boolean): Send {
  return (req, res) => {
    res.writeHead(req.headers.range === undefined ? 200 : 206, describeRange(req, bytes))
    res.write(bytes.subarray(startOf(req), place))
    const timer = setInterval(() => {
      if (!hasArrived(place)) return
      clearInterval(timer)
      res.destroy()
    }, 1)
  }
}

function startOf(req: IncomingMessage): number {
  return Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0)
}

function describeRange(req: IncomingMessage, { length }: Buffer): Record<string, string | number> {
  const start = startOf(req)
  return { 'Content-Length': length - start, 'Content-Range': `bytes ${start}-${length - 1}/${length}` }
}
