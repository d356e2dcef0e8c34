import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { rounds } from '../support/rounds.ts'
import { type HostProcess, startHost } from './host-process.ts'
import { makeSite, pageNames, pageText } from './make-site.ts'

// Three kinds of moments get the same number.
const kills = 3 * rounds(17)
const pages = 20
const versionOf = (index: number) => `v${index}`

let folder: string
let bundle: Buffer
let etag: string
let origin: RunningServer
const ranges: string[] = []
/** The origin sends nothing before it. */
let gate = Promise.resolve()
/** The origin sends no more than the first parts before it. */
let rest = Promise.resolve()
const parts = 8
const firstParts = 3

/** Sends the bundle slowly, so that a kill hits the download too. Continues one that was interrupted. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-host-kill-'))
  origin = await startServer(async (req, res) => {
    await gate
    const bytes = bundle
    const { range, 'if-range': condition, 'if-none-match': unless } = req.headers
    if (unless === etag) return res.writeHead(304).end()
    const first = condition === etag ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0
    if (first > 0) ranges.push(range ?? '')
    if (first >= bytes.length) return res.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end()
    const part = { 'content-range': `bytes ${first}-${bytes.length - 1}/${bytes.length}` }
    res.writeHead(first > 0 ? 206 : 200, { etag, ...(first > 0 && part) })
    const step = Math.ceil(bytes.length / parts)
    for (let at = first; at < bytes.length && !res.destroyed; at += step) {
      if (at >= firstParts * step) await rest
      res.write(bytes.subarray(at, at + step))
      await new Promise(done => setTimeout(done, 15))
    }
    res.end()
  })
})
afterAll(async () => {
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})

function offer(index: number): void {
  bundle = makeSite({ version: versionOf(index), pages })
  etag = `"${versionOf(index)}"`
}

/** Returns the version of the site, after checking that all its pages have it. */
async function readVersion({ url }: HostProcess): Promise<string> {
  const names = ['', ...pageNames(pages)]
  const bodies = await Promise.all(names.map(async name => (await fetch(`${url}/${name}`)).text()))
  const version = /<body>(v\d+) /.exec(bodies[0] ?? '')?.[1] ?? ''
  const wrong = names.filter((name, index) => bodies[index] !== pageText(version, name === '' ? 'home' : name))
  expect([version, wrong]).toEqual([version, []])
  return version
}

test(`after each of ${kills} kills while it fetches, unpacks and switches, one whole version is served`, async () => {
  const args = [origin.origin.href, '--data', folder, '--fetch-retries', '0']
  /** How long the download takes, and the work after it, on this machine. */
  const { fetchMs, unpackMs } = await measure(args)
  const outcomes = { before: 0, after: 0 }
  let last = 0
  for (let index = 1; ; index += 1) {
    const opened = Promise.withResolvers<void>()
    gate = opened.promise
    offer(index)
    const host = await startHost(args)
    // What the kill before left, while the next bundle is not sent yet.
    const version = Number((await readVersion(host)).slice(1))
    expect([last, index - 1]).toContain(version)
    if (index > 1) outcomes[version === index - 1 ? 'after' : 'before'] += 1
    last = version
    opened.resolve()
    // A third is killed during the download, one while the archive is unpacked, and one from the switch on.
    const third = Math.min(Math.floor((3 * (index - 1)) / kills), 2)
    if (third === 1) await host.read(output => output.includes('unpacking the bundle'))
    if (third === 2) await host.read(output => output.includes(`"label":"${versionOf(index)}"`))
    const part = (index % (kills / 3)) / (kills / 3)
    await new Promise(done => setTimeout(done, part * ([fetchMs, 1.3 * unpackMs, 50][third] ?? 0)))
    await host.end('SIGKILL')
    if (index > kills) break
  }
  console.log(`${outcomes.before} times the old version, ${outcomes.after} times the new one`)
  expect(outcomes.before + outcomes.after).toBe(kills)
  expect(outcomes.before).toBeGreaterThan(0)
  expect(outcomes.after).toBeGreaterThan(0)
})

/** Serves the first version without a kill. */
async function measure(args: readonly string[]): Promise<{ fetchMs: number; unpackMs: number }> {
  offer(0)
  const startedAt = performance.now()
  const host = await startHost(args)
  await host.read(output => output.includes('unpacking the bundle'))
  const fetchedAt = performance.now()
  await host.read(output => output.includes('"label":"v0"'))
  const unpackMs = performance.now() - fetchedAt
  await host.end('SIGTERM')
  return { fetchMs: Math.min(fetchedAt - startedAt, 200), unpackMs }
}

test('a download that was killed goes on where it stopped', async () => {
  offer(kills + 2)
  const opened = Promise.withResolvers<void>()
  rest = opened.promise
  // The kills before may have left a part of another bundle.
  const data = join(folder, 'resumed')
  const args = [origin.origin.href, '--data', data]
  const host = await startHost(args)
  const incoming = join(data, 'incoming')
  const isStored = (name: string) => name.endsWith('.download') && statSync(join(incoming, name)).size > 0
  await waitFor(async () => readdirSync(incoming).some(isStored) || undefined)
  await host.end('SIGKILL')
  opened.resolve()
  const before = ranges.length
  const next = await startHost(args)
  await next.read(output => output.includes(`"label":"v${kills + 2}"`))
  expect(await readVersion(next)).toBe(versionOf(kills + 2))
  expect(ranges.length).toBe(before + 1)
  await next.end('SIGTERM')
})
