import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dataWords } from '../../../server/export/crawl/data-words.ts'

/** Encodes a short string in CBOR: a byte with the length, then the text. */
const counted = (text: string) => String.fromCharCode(0x60 + text.length) + text

test.each([
  ['{"a":{"hash":"en_1","n":3}}', ['a', 'hash', 'en_1', 'n']],
  [`${counted('en_188aadf')}\x07${counted('en_bbbcccd')}`, ['en_188aadf', 'en_bbbcccd']],
  ['\x00\x0a3f9c2e71\x00plainword\x00', ['3f9c2e71']],
])('words of %j', (text, words) => {
  const found = dataWords(Buffer.from(text, 'latin1'))
  for (const word of words) expect(found).toContain(word)
  expect(found).not.toContain('plainword')
  expect(dataWords(gzipSync(Buffer.from(text, 'latin1')))).toEqual(found)
})
