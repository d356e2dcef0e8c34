import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ArchiveError } from '../../server/unpack/archive-error.ts'
import { readArchivedFile } from '../../server/unpack/read-archived-file.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { makeTarGz, makeZip } from './make-archives.ts'

let file: string
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-entry-'))
  file = join(folder, 'archive')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(bytes: Buffer, path: string, { maxBytes = 1000, totalBytes = 10_000_000 } = {}) {
  writeFileSync(file, bytes)
  const limits = { ...defaultUnpackLimits, totalBytes }
  return readArchivedFile(file, path, { limits: { zip: limits, 'tar.gz': limits }, maxBytes })
}

const parts = [
  { name: 'a/', type: '5', mode: 0o040755 },
  { name: 'a/index.html', content: 'a'.repeat(5000) },
  { name: 'report.json', content: '{"x":1}' },
  { name: 'z.html', content: 'z'.repeat(5000) },
]

test.each([
  ['zip', makeZip],
  ['tar.gz', makeTarGz],
] as const)('reads one file of a %s, up to a size', async (_format, make) => {
  const bytes = make(parts)
  expect(String(await read(bytes, 'report.json'))).toBe('{"x":1}')
  expect(await read(bytes, 'other.json')).toBeUndefined()
  expect(await read(bytes, 'a')).toBeUndefined()
  expect((await read(bytes, 'z.html', { maxBytes: 5000 }))?.length).toBe(5000)
  await expect(read(bytes, 'z.html', { maxBytes: 4999 })).rejects.toThrow('"z.html" in the archive is larger than 4999')
})

test.each([
  ['neither a zip nor a tar.gz', Buffer.from('PS no archive'), /is neither a zip nor a tar\.gz/],
  ['a tar.gz that is cut off', makeTarGz(parts).subarray(0, 60), /damaged or not complete/],
  ['a gzip of something else', gzipSync('x'.repeat(2000)), /damaged or not complete/],
  ['a zip that is cut off', makeZip(parts).subarray(0, 100), /damaged or not complete/],
  [
    'a zip with a wrong checksum',
    makeZip([{ name: 'report.json', content: 'x', crc: 1 }]),
    /does not have its checksum/,
  ],
])('refuses %s with a sentence', async (_what, bytes, message) => {
  const error = await read(bytes, 'report.json').catch(error => error)
  expect(error).toBeInstanceOf(ArchiveError)
  expect(error.message).toMatch(message)
})

test('a limit ends the search in a tar.gz', async () => {
  const bytes = makeTarGz([
    { name: 'a', content: 'a'.repeat(2_000_000) },
    { name: 'b', content: 'b' },
  ])
  expect(String(await read(bytes, 'b'))).toBe('b')
  await expect(read(bytes, 'b', { totalBytes: 1_000_000 })).rejects.toThrow('unpacks to more than 0 MB')
})
