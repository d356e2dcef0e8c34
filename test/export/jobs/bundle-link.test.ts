import { expect, test } from 'vitest'
import { createBundleLinks, type ReplacedKey } from '../../../server/export/jobs/bundle-link.ts'

const now = Date.UTC(2026, 10, 20, 10, 0, 0, 500)

/** Links that are signed with the current key and checked with the replaced ones, too. */
const openLinks = (current: Buffer, replaced: ReplacedKey[] = []) =>
  createBundleLinks({ keys: { current: () => current, replaced: () => replaced }, ttlSeconds: 3600 })

const key = Buffer.alloc(32, 7)
const links = openLinks(key)
const expiresAt = links.expiresAt(now)
const target = links.create('se_0123456789abcdef', 'se_0123456789abcdef.zip', expiresAt)

test('a link contains no character that is special in a shell or a chart value', () => {
  expect(target).toMatch(/^[A-Za-z0-9:/?&=._~%+-]+$/)
})

test('a link is valid for its lifetime, to the second', () => {
  expect(expiresAt).toBe(Date.UTC(2026, 10, 20, 11))
  expect(links.isValid(target, expiresAt)).toBe(true)
  expect(links.isValid(target, expiresAt + 999)).toBe(true)
  expect(links.isValid(target, expiresAt + 1000)).toBe(false)
})

test('any changed byte makes a link invalid', () => {
  for (let i = 0; i < target.length; i++) {
    for (const other of ['0', 'F', '%', '/', '=']) {
      if (target[i] === other) continue
      expect(links.isValid(target.slice(0, i) + other + target.slice(i + 1), now)).toBe(false)
    }
  }
})

test.each([
  ['an added parameter', `${target}&a=b`],
  ['an escaped letter', target.replace('se_', '%73e_')],
  ['a signature in upper case', target.replace(/[0-9a-f]{64}$/, hex => hex.toUpperCase())],
  ['no query', target.split('?')[0] as string],
  ['a missing signature', target.replace(/&signature=.*/, '')],
])('%s makes a link invalid', (_, changed) => {
  expect(changed).not.toBe(target)
  expect(links.isValid(changed, now)).toBe(false)
})

test('a link signed with another key is invalid', () => {
  expect(openLinks(Buffer.alloc(32, 8)).isValid(target, now)).toBe(false)
})

test('a link of a replaced key works until it expires, and no longer one that ends after the last link of the key', () => {
  const rotated = (validUntil: number) => openLinks(Buffer.alloc(32, 8), [{ key, validUntil }])
  expect(rotated(expiresAt).isValid(target, expiresAt)).toBe(true)
  expect(rotated(expiresAt).isValid(target, expiresAt + 1000)).toBe(false)
  expect(rotated(expiresAt - 1000).isValid(target, now)).toBe(false)
})
