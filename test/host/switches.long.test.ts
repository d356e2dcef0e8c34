import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { type HostProcess, startHost } from './host-process.ts'
import { makeSite, pageNames, pageText } from './make-site.ts'

const switches = 20
const requests = 10_000
const parallel = 16
const pages = 30

let folder: string
let bundle: Buffer
let origin: RunningServer
let host: HostProcess

const versionOf = (index: number) => `v${index}`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-switches-'))
  bundle = makeSite({ version: versionOf(0), pages })
  origin = await startServer((_req, res) => res.writeHead(200).end(bundle))
  host = await startHost([origin.origin.href, '--data', folder, '--cache-mb', '1'])
  await host.read(output => output.includes('"label":"v0"'))
})
afterAll(async () => {
  await host.end('SIGTERM')
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})

const agent = new Agent({ keepAlive: true, maxSockets: parallel })

function ask(path: string): Promise<{ status: number; body: string; length: number }> {
  return new Promise((done, failed) => {
    get(`${host.url}${path}`, { agent }, async res => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      done({ status: res.statusCode ?? 0, body: bytes.toString(), length: Number(res.headers['content-length']) })
    }).on('error', failed)
  })
}

test(`of ${requests} requests during ${switches} switches, none fails and none is a mixture`, async () => {
  const names = ['', ...pageNames(pages)]
  const faults: string[] = []
  const seen = new Set<number>()
  let sent = 0
  /** The versions that may be served now: the last one that was, and the one that is being switched to. */
  let oldest = 0
  let newest = 0
  let isSwitching = true

  async function load(): Promise<void> {
    while (sent < requests || isSwitching) {
      const name = names[sent++ % names.length] ?? ''
      const from = oldest
      const { status, body, length } = await ask(`/${name}`).catch(error => ({
        status: 0,
        body: String(error),
        length: 0,
      }))
      const index = Number(/<body>v(\d+) /.exec(body)?.[1] ?? Number.NaN)
      const isWhole = body === pageText(versionOf(index), name === '' ? 'home' : name) && length === body.length
      if (status !== 200 || !isWhole || index < from || index > newest)
        faults.push(`${status} /${name}: ${body.slice(0, 200)}, expected v${from} to v${newest}`)
      seen.add(index)
    }
  }

  async function switchAll(): Promise<void> {
    for (let index = 1; index <= switches; index += 1) {
      // Spread over the whole load.
      while (sent < (requests * index) / (switches + 2)) await new Promise(done => setTimeout(done, 5))
      bundle = makeSite({ version: versionOf(index), pages })
      newest = index
      host.child.kill('SIGHUP')
      await waitFor(async () => host.output().includes(`"label":"v${index}"`) || undefined)
      oldest = index
    }
    isSwitching = false
  }

  await Promise.all([switchAll(), ...Array.from({ length: parallel }, load)])
  expect(faults).toEqual([])
  expect(sent).toBeGreaterThanOrEqual(requests)
  expect(seen.size).toBe(switches + 1)
})
