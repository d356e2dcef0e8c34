import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startCacheRetention } from '../../../server/export/jobs/cache-retention.ts'
import { openSiteCaches, siteCacheName } from '../../../server/store/site-cache/site-caches.ts'
import { waitFor } from '../../support/export-site.ts'

test('the caches of sites that were deleted elsewhere are deleted, but none that an export uses', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-cache-retention-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const warn = vi.fn()
  const siteCaches = openSiteCaches({ folder, maxBytes: 1e9, sharesArchives: true, warn })
  for (const domain of ['a.example', 'b.example']) await (await siteCaches.open(domain))?.close()
  const used = await siteCaches.open('used.example')
  writeFileSync(join(folder, 'notes.txt'), '')
  const keep = (...domains: string[]) => [...domains.map(siteCacheName), 'notes.txt'].toSorted()
  expect(readdirSync(folder).toSorted()).toEqual(keep('a.example', 'b.example', 'used.example'))

  const registered = [{ domain: 'a.example' }]
  const log = { info: vi.fn(), error: vi.fn() }
  let passes = 0
  const list = () => {
    passes += 1
    return registered
  }
  const retention = startCacheRetention({ siteCaches, sites: { list }, log, everyMs: 20 })
  context.onTestFinished(() => retention.stop())
  const pass = async () => {
    const before = passes
    // The second one begins after the first has ended.
    await waitFor(async () => (passes > before + 1 ? true : undefined))
  }
  await pass()
  expect(readdirSync(folder).toSorted()).toEqual(keep('a.example', 'used.example'))
  await used?.close()
  await pass()
  expect(readdirSync(folder).toSorted()).toEqual(keep('a.example'))
  // A process was killed between two steps of a deletion.
  mkdirSync(join(folder, `_deleted_${siteCacheName('c.example')}`))
  // A pass renames the folder before it removes it.
  const isRemoved = () => readdirSync(folder).every(name => !name.includes('c.example'))
  await waitFor(async () => (isRemoved() ? true : undefined))
  expect(readdirSync(folder).toSorted()).toEqual(keep('a.example'))
  expect(log.info.mock.calls.slice(0, 2)).toEqual([
    [{ deleted: [siteCacheName('b.example')] }, 'deleted caches of sites that are not registered'],
    [{ deleted: [siteCacheName('used.example')] }, 'deleted caches of sites that are not registered'],
  ])
  expect([log.error.mock.calls, warn.mock.calls]).toEqual([[], []])
})
