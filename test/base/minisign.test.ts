import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  formatMinisignKey,
  parseMinisignKey,
  showKeyId,
  signMinisign,
  toMinisignKey,
  verifyMinisign,
} from '../../server/base/minisign.ts'

/** A key that signs nothing: the bytes 0 to 31. */
const raw = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), raw]),
  format: 'der',
  type: 'pkcs8',
})
const key = toMinisignKey(privateKey)
const content = Buffer.from('what is signed\n')
const names = { file: 'SUMS', signature: 'SUMS.minisig' }
const signed = signMinisign(content, 'quire 0.2.0', privateKey)

test('a public key is read as it was written, also with the comment of a file', () => {
  const line = formatMinisignKey(key)
  expect(line).toMatch(/^RW.{54}$/)
  for (const text of [line, `untrusted comment: a key\n${line}\n`]) {
    expect(showKeyId(parseMinisignKey(text, 'the key'))).toBe(showKeyId(key))
    expect(formatMinisignKey(parseMinisignKey(text, 'the key'))).toBe(line)
  }
})

test.each(['', 'RW', 'not a key', formatMinisignKey(key).slice(1)])('%j is not a public key', text => {
  expect(() => parseMinisignKey(text, 'key.pub')).toThrow(/^key\.pub is not a public key of minisign/)
})

test('a signature returns its signed comment, and is the same each time', () => {
  expect(verifyMinisign(signed, content, key, names)).toBe('quire 0.2.0')
  expect(signMinisign(content, 'quire 0.2.0', privateKey)).toBe(signed)
})

test('a signature with any byte changed is refused', () => {
  for (let at = 0; at < signed.length; at++) {
    const bytes = Buffer.from(signed)
    bytes[at] = (bytes[at] as number) ^ 1
    expect(() => verifyMinisign(bytes.toString('latin1'), content, key, names), `byte ${at}`).toThrow(/SUMS\.minisig/)
  }
})

test('changed content is refused, and the file is named', () => {
  expect(() => verifyMinisign(signed, Buffer.from('what is signeD\n'), key, names)).toThrow(/^SUMS was changed/)
})
