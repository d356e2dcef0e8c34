import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { signMinisign, toMinisignKey } from '../../server/base/minisign.ts'
import { compareVersions, describeRelease, readSignedSums, writeSums } from '../../server/base/release-sums.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const files = new Map([
  ['quire-linux-x64', 'b'.repeat(64)],
  ['quire-0.2.0.tgz', 'a'.repeat(64)],
])
const sums = Buffer.from(writeSums(files))
const sign = (comment: string) => Buffer.from(signMinisign(sums, comment, privateKey))

test('the list of a release is read with the version that was signed', () => {
  expect(sums.toString()).toBe(`${'a'.repeat(64)}  quire-0.2.0.tgz\n${'b'.repeat(64)}  quire-linux-x64\n`)
  const commit = 'c'.repeat(40)
  const release = { version: '0.2.0', commit }
  expect(readSignedSums(sums, sign(describeRelease(release)), toMinisignKey(privateKey))).toEqual({ ...release, files })
})

test('a signature of something else does not count, though the key is trusted', () => {
  const read = () => readSignedSums(sums, sign('notes 0.2.0'), toMinisignKey(privateKey))
  expect(read).toThrow('SHA256SUMS.minisig is not that of a release of Quire. Its comment: notes 0.2.0')
})

test.each([
  ['0.2.0', '0.10.0', -1],
  ['1.0.0', '0.9.9', 1],
  ['0.2.1', '0.2.0', 1],
  ['0.2.0', '0.2.0', 0],
  ['0.2.1-rc.1', '0.2.0', 1],
  ['0.2.1-rc.1', '0.2.1', -1],
])('%s against %s is %d', (a, b, want) => expect(Math.sign(compareVersions(a, b))).toBe(want))
