import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBundleLinks } from '../../server/export/jobs/bundle-link.ts'
import { openLinkKeys, revokeLinkKeys, rotateLinkKey } from '../../server/store/link-keys.ts'

const now = Date.UTC(2026, 10, 20)
const hour = 3_600_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-link-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a new folder gets a key, which stays', () => {
  const keys = openLinkKeys(folder)
  expect(keys.current()).toHaveLength(32)
  expect(keys.replaced()).toEqual([])
  expect(openLinkKeys(folder).current()).toEqual(keys.current())
})

test('a rotation is seen by those who have the keys open, and keeps the old key while a link of it works', async () => {
  const keys = openLinkKeys(folder)
  const first = keys.current()
  await rotateLinkKey(folder, now, () => now + hour)
  const second = keys.current()
  expect(second).not.toEqual(first)
  expect(keys.replaced()).toEqual([{ key: first, validUntil: now + hour }])
  await rotateLinkKey(folder, now + 1, () => now + 2 * hour)
  expect(keys.replaced()).toEqual([
    { key: first, validUntil: now + hour },
    { key: second, validUntil: now + 2 * hour },
  ])
  await rotateLinkKey(folder, now + hour + 1, () => undefined)
  expect(keys.replaced()).toEqual([{ key: second, validUntil: now + 2 * hour }])
  await rotateLinkKey(folder, now + 3 * hour, () => undefined)
  expect(keys.replaced()).toEqual([])
  expect(readdirSync(folder)).toEqual(['link.key'])
})

test('a replaced key is valid for 7 days at most, also when a link was made under a clock that was ahead', async () => {
  const keys = openLinkKeys(folder)
  await rotateLinkKey(folder, now, () => now + 365 * 24 * hour)
  expect(keys.replaced()).toMatchObject([{ validUntil: now + 7 * 24 * hour }])
})

test('a link that is signed while the key is replaced goes on working', async () => {
  const keys = openLinkKeys(folder)
  const links = createBundleLinks({ keys, ttlSeconds: 3600 })
  const first = keys.current()
  let meanwhile = ''
  await rotateLinkKey(folder, now, () => {
    // A server that signed with the old key has noted the link by now.
    const link = createBundleLinks({ keys: { current: () => first, replaced: () => [] }, ttlSeconds: 3600 })
    const expiresAt = link.expiresAt(now + 5000)
    meanwhile = link.create('se_1', 'se_1.zip', expiresAt)
    expect(links.isValid(meanwhile, now + 5000)).toBe(true)
    return expiresAt
  })
  expect(keys.current()).not.toEqual(first)
  expect(links.isValid(meanwhile, now + hour)).toBe(true)
})

test('revoking forgets every key', async () => {
  const keys = openLinkKeys(folder)
  const first = keys.current()
  await rotateLinkKey(folder, now, () => now + hour)
  const second = keys.current()
  revokeLinkKeys(folder)
  expect(keys.replaced()).toEqual([])
  expect([first, second]).not.toContainEqual(keys.current())
})

test('the files are private', async () => {
  openLinkKeys(folder)
  await rotateLinkKey(folder, now, () => now + hour)
  const modes = readdirSync(folder).map(name => [name, statSync(join(folder, name)).mode & 0o777])
  expect(modes).toEqual([
    ['link-replaced.key', 0o600],
    ['link.key', 0o600],
  ])
})

test('keys that cannot be read any more stay as they were; at the start they are an error with the remedy', async () => {
  const keys = openLinkKeys(folder)
  const first = keys.current()
  await rotateLinkKey(folder, now, () => now + hour)
  const before = [keys.current(), keys.replaced()]
  writeFileSync(join(folder, 'link.key'), 'short')
  writeFileSync(join(folder, 'link-replaced.key'), '[{"key":"00"}]')
  expect([keys.current(), keys.replaced()]).toEqual(before)
  expect(() => openLinkKeys(folder)).toThrow('Restore it from a backup')
  writeFileSync(join(folder, 'link.key'), first)
  expect(() => openLinkKeys(folder)).toThrow('link-replaced.key is damaged. Restore it')
  rmSync(join(folder, 'link-replaced.key'))
  mkdirSync(join(folder, 'link-replaced.key'))
  expect(() => openLinkKeys(folder)).toThrow('link-replaced.key cannot be read')
  expect(readFileSync(join(folder, 'link.key'))).toEqual(first)
})
