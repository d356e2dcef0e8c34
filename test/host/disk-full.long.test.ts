import { mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { type HostProcess, startHost } from './host-process.ts'
import { makeSite, pageText } from './make-site.ts'

const pages = 200
const stepKb = 64

let disk: SmallDisk
let bundle: Buffer
let origin: RunningServer
let host: HostProcess

beforeEach(async ({ task }) => {
  if (task.mode === 'skip') return
  disk = mountSmallDisk(32) as SmallDisk
  bundle = makeSite({ version: 'v1', pages })
  origin = await startServer((_req, res) => res.writeHead(200).end(bundle))
  mkdirSync(join(disk.folder, 'data'))
  const log = ['--access-log', join(disk.folder, 'access.log'), '--log-level', 'debug']
  host = await startHost([origin.origin.href, '--data', join(disk.folder, 'data'), '--fetch-retries', '0', ...log])
  await host.read(output => output.includes('"outcome":"switched"'))
})
afterEach(async ({ task }) => {
  if (task.mode === 'skip') return
  await host.end('SIGTERM')
  await origin.close()
  disk.unmount()
})

/** Fills the disk but for some kilobytes. */
async function leave(kilobytes: number): Promise<void> {
  await disk.free()
  disk.fill()
  const filling = join(disk.folder, 'filling')
  truncateSync(filling, Math.max(0, statSync(filling).size - kilobytes * 1024))
}

test.skipIf(!canMount())(
  'a disk that becomes full at any stage leaves the old version, and no rubbish (needs the right to mount)',
  async () => {
    bundle = makeSite({ version: 'v2', pages })
    const reasons = new Set<string>()
    let attempts = 0
    for (let kilobytes = 0; ; kilobytes += stepKb) {
      await leave(kilobytes)
      const before = host.output().length
      host.child.kill('SIGHUP')
      const outcome = await waitFor(async () => /"outcome":"(\w+)"/.exec(host.output().slice(before))?.[1])
      const text = await (await fetch(host.url)).text()
      if (outcome === 'switched') {
        expect(text).toBe(pageText('v2', 'home'))
        break
      }
      attempts += 1
      expect([kilobytes, outcome, text]).toEqual([kilobytes, 'failed', pageText('v1', 'home')])
      expect(readdirSync(join(disk.folder, 'data', 'incoming'))).toEqual([])
      for (const [, reason = ''] of host.output().matchAll(/"reason":"([^"]+)"/g)) reasons.add(reason)
      expect((await fetch(`${host.url}/readyz`)).status).toBe(200)
    }
    expect(attempts).toBeGreaterThan(10)
    expect([...reasons]).toEqual(['The disk of the server is full. Free some space.'])
    expect(host.output()).not.toMatch(/"level":60/)
    // The access log also meets the full disk, and says so in a log line with its error.
    expect(
      host
        .output()
        .split('\n')
        .filter(line => !line.startsWith('{') && line.includes('Error:')),
    ).toEqual([])
  },
)
