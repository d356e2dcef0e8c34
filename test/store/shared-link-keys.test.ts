import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createBundleLinks } from '../../server/export/jobs/bundle-link.ts'
import { openSharedLinkKeys } from '../../server/store/shared-link-keys.ts'

let file: string
beforeEach(context => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-link-keys-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'link.key')
})

const hex = (digit: string) => digit.repeat(64)
const show = () => {
  const keys = openSharedLinkKeys(file)
  return [keys.current(), ...keys.replaced().map(({ key }) => key)].map(key => key.toString('hex'))
}

test.each([
  [hex('a'), [hex('a')]],
  [`${hex('A')}\n`, [hex('a')]],
  [`${hex('a')}\r\n\n ${hex('b')}\n${hex('c')}\n`, [hex('a'), hex('b'), hex('c')]],
  [Buffer.alloc(32, 0xab), [hex('ab').slice(64)]],
])('the file %j has the keys %j', (content, want) => {
  writeFileSync(file, content)
  expect(show()).toEqual(want)
})

test.each([
  ['', 'is empty'],
  ['\n', 'is empty'],
  [hex('a').slice(1), 'must have 64 hexadecimal digits'],
  [`${hex('a')}\nsecret`, 'must have 64 hexadecimal digits'],
  [Buffer.alloc(33), 'must have 64 hexadecimal digits'],
])('the file %j is refused: %s, and its content is not repeated', (content, reason) => {
  writeFileSync(file, content)
  expect(show).toThrow(reason)
  expect(show).not.toThrow('secret')
})

test('a file that is missing is refused', () => {
  expect(show).toThrow(`--link-key-file: ${file} cannot be read (ENOENT)`)
})

test('after a new key was put in front, servers with either file accept the links of both', () => {
  const now = Date.now()
  writeFileSync(file, `${hex('a')}\n${hex('b')}`)
  const links = createBundleLinks({ keys: openSharedLinkKeys(file), ttlSeconds: 60 })
  const expiresAt = links.expiresAt(now)
  const before = links.create('se_1', 'a.zip', expiresAt)
  writeFileSync(file, `${hex('b')}\n${hex('a')}`)
  const after = links.create('se_1', 'a.zip', expiresAt)
  expect(after).not.toBe(before)
  expect([links.isValid(before, now), links.isValid(after, now)]).toEqual([true, true])
  writeFileSync(file, hex('b'))
  expect([links.isValid(before, now), links.isValid(after, now)]).toEqual([false, true])
})

test('a file that is damaged later leaves the keys as they were, and is reported once', () => {
  writeFileSync(file, hex('a'))
  const reported: unknown[] = []
  const keys = openSharedLinkKeys(file, error => reported.push((error as Error).message))
  const damage = () => {
    writeFileSync(file, '')
    expect([keys.current(), keys.current()].map(key => key.toString('hex'))).toEqual([hex('a'), hex('a')])
  }
  damage()
  expect(reported).toEqual([expect.stringContaining(`--link-key-file: ${file} is empty`)])
  writeFileSync(file, hex('a'))
  keys.current()
  damage()
  expect(reported).toHaveLength(2)
})
