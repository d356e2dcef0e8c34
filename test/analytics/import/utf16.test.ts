import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { checkLogFile, openLogFile } from '../../../server/analytics/import/log-file.ts'
import { isUtf16 } from '../../../server/analytics/import/utf16.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-utf16-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const line = '203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0"\r\n'
const littleEndian = Buffer.from(line, 'utf16le')
const bigEndian = Buffer.from(littleEndian).swap16()

test.each([
  ['little-endian with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), littleEndian]), true],
  ['big-endian with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), bigEndian]), true],
  ['little-endian', littleEndian, true],
  ['big-endian', bigEndian, true],
  ['only a mark', Buffer.from([0xff, 0xfe]), true],
  ['UTF-8', Buffer.from(line), false],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${line}`), false],
  ['a hole', Buffer.alloc(4096), false],
  ['a hole before a line', Buffer.concat([Buffer.alloc(64), Buffer.from(line)]), false],
  ['a line before a hole', Buffer.concat([Buffer.from(line.slice(0, 20)), Buffer.alloc(236)]), false],
  ['binary data with some NULs', Buffer.from(Array.from({ length: 256 }, (_, i) => (i % 7 === 1 ? 0 : 65 + i))), false],
  ['an empty file', Buffer.alloc(0), false],
  ['a few bytes', Buffer.from('a\0b\0'), false],
])('%s: UTF-16 is %s', (_, bytes, want) => {
  expect(isUtf16(bytes)).toBe(want)
})

const remedy = /is UTF-16 text\. Convert it: iconv -f UTF-16 -t UTF-8 /

test('a file in UTF-16 is refused before anything is read, with the remedy', async () => {
  const file = join(folder, 'access.log')
  writeFileSync(file, Buffer.concat([Buffer.from([0xff, 0xfe]), littleEndian]))
  await expect(checkLogFile(file)).rejects.toThrow(remedy)
  await expect(checkLogFile(file)).rejects.toThrow(`UTF-8 ${file} |`)
})

test('a compressed file in UTF-16 is refused when its first bytes are known', async () => {
  const file = join(folder, 'access.log.gz')
  writeFileSync(file, gzipSync(littleEndian))
  const log = await openLogFile(file)
  const readAll = async () => {
    for await (const _ of log.chunks);
  }
  await expect(readAll()).rejects.toThrow(remedy)
})
