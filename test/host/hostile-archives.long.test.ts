import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { type HostProcess, startHost } from './host-process.ts'
import { listHostile } from './hostile-archives.ts'
import { makeSite, pageText } from './make-site.ts'

const maxEntries = 20_000
const archives = listHostile(maxEntries)

let around: string
let data: string
let bundle: Buffer
let origin: RunningServer
let host: HostProcess

beforeAll(async () => {
  around = mkdtempSync(join(tmpdir(), 'quire-hostile-'))
  data = join(around, 'deep', 'data')
  bundle = makeSite({ version: 'good' })
  origin = await startServer((_req, res) => res.writeHead(200).end(bundle))
  const args = [origin.origin.href, '--data', data, '--max-entries', String(maxEntries), '--log-level', 'debug']
  host = await startHost(args)
  await host.read(output => output.includes('"outcome":"switched"'))
})
afterAll(async () => {
  await host.end('SIGTERM')
  await origin.close()
  rmSync(around, { recursive: true, force: true })
})

const countAttempts = () => host.output().split('asked for a new bundle').length

test(`none of ${archives.length} hostile archives is served, writes outside its folder or fills the memory`, async () => {
  expect(archives.length).toBeGreaterThan(60)
  const accepted: string[] = []
  for (const { what, bytes } of archives) {
    bundle = bytes()
    const before = countAttempts()
    const length = host.output().length
    host.child.kill('SIGHUP')
    await waitFor(async () => countAttempts() > before || undefined)
    if (!host.output().slice(length).includes('"outcome":"failed"')) accepted.push(what)
    expect([what, await (await fetch(host.url)).text()]).toEqual([what, pageText('good', 'home')])
  }
  expect(accepted).toEqual([])
  expect([readdirSync(around), readdirSync(join(around, 'deep'))]).toEqual([['deep'], ['data']])
  expect(readdirSync(data).sort()).toEqual(['incoming', 'owner.lock', 'state.json', 'versions'])
  expect([readdirSync(join(data, 'incoming')), readdirSync(join(data, 'versions')).length]).toEqual([[], 1])
  const peakKb = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${host.child.pid}/status`, 'utf8'))?.[1])
  expect(peakKb).toBeLessThan(256 * 1024)
  console.log(`peak memory ${Math.round(peakKb / 1024)} MB`)
})
