import { expect, test } from 'vitest'
import { createKey, hashKey, isWellFormedKey } from '../../server/tenancy/api-key.ts'

test('a new key has the prefix, 178 random bits and a checksum', () => {
  const keys = Array.from({ length: 200 }, () => createKey('quire_'))
  expect(new Set(keys).size).toBe(200)
  for (const key of keys) {
    expect(key).toMatch(/^quire_[0-9A-Za-z]{36}$/)
    expect(isWellFormedKey('quire_', key)).toBe(true)
  }
})

test('any single changed character is refused by the checksum', () => {
  const key = createKey('quire_')
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === 'x' ? 'y' : 'x'
    expect(isWellFormedKey('quire_', key.slice(0, i) + other + key.slice(i + 1))).toBe(false)
  }
})

test.each([
  ['nothing', ''],
  ['a prefix alone', 'quire_'],
  ['a key of another vendor', createKey('other_')],
  ['a longer key', `${createKey('quire_')}0`],
  ['a shorter key', createKey('quire_').slice(0, -1)],
  ['a digit that is not ASCII', createKey('quire_').replace(/.$/, '\u0661')],
])('refuses %s', (_, key) => {
  expect(isWellFormedKey('quire_', key)).toBe(false)
})

test('the stored hash does not contain the key', () => {
  const key = createKey('quire_')
  expect(hashKey(key)).toHaveLength(32)
  expect(hashKey(key).toString('latin1')).not.toContain(key)
})
