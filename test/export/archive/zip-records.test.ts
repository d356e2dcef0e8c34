import { once } from 'node:events'
import { crc32, deflateRawSync } from 'node:zlib'
import { ZipArchive } from 'archiver'
import { expect, test } from 'vitest'
import { createZipWriter } from '../../../server/export/archive/zip-records.ts'

const files: [string, Buffer][] = [
  ['a/ü.html', Buffer.from('<p>ü</p>')],
  ['b.txt', Buffer.from('b'.repeat(10_000))],
  ['empty', Buffer.alloc(0)],
]

test('writes the same bytes as archiver', async () => {
  const zip = createZipWriter()
  const parts: Buffer[] = []
  for (const [name, bytes] of files) {
    const content = bytes.length > 0 ? deflateRawSync(bytes, { level: 5 }) : bytes
    parts.push(
      zip.begin(name, bytes.length > 0, bytes.length, content),
      zip.end(crc32(bytes), bytes.length, content.length),
    )
  }
  parts.push(zip.finish())
  expect(Buffer.concat(parts).equals(await archive(files))).toBe(true)
})

async function archive(files: readonly [string, Buffer][]): Promise<Buffer> {
  const archive = new ZipArchive({ zlib: { level: 5 } })
  const chunks: Buffer[] = []
  archive.on('data', chunk => chunks.push(chunk))
  for (const [name, bytes] of files) {
    const done = once(archive, 'entry')
    archive.append(bytes, { name, date: new Date(Date.UTC(1980, 0, 1)), mode: 0o644 })
    await done
  }
  await Promise.all([once(archive, 'end'), archive.finalize()])
  return Buffer.concat(chunks)
}

const end64 = Buffer.from([0x50, 0x4b, 6, 6])

test('counts more than 65,534 entries in a Zip64 record', () => {
  const zip = createZipWriter()
  for (let index = 0; index < 70_000; index += 1) {
    zip.begin(`${index}`, false, 0)
    zip.end(0, 0, 0)
  }
  const bytes = zip.finish()
  const at = bytes.indexOf(end64)
  expect(at).toBeGreaterThan(0)
  expect(bytes.readBigUInt64LE(at + 32)).toBe(70_000n)
  expect(bytes.readUInt16LE(bytes.length - 12)).toBe(0xffff)
})

test('writes offsets past 4 GB and sizes of such files in 64 bits', () => {
  const zip = createZipWriter()
  const gigabyte = Buffer.alloc(2 ** 30)
  const size = 5 * 2 ** 30
  const head = zip.begin('large', false, size)
  expect([head.readUInt16LE(4), head.readUInt32LE(18), head.readUInt32LE(22)]).toEqual([45, 0xffff_ffff, 0xffff_ffff])
  expect(head.subarray(30 + 'large'.length)).toEqual(Buffer.from([1, 0, 16, 0, ...Array(16).fill(0)]))
  for (let index = 0; index < 5; index += 1) zip.pass(gigabyte)
  expect(zip.end(1, size, size).readBigUInt64LE(16)).toBe(BigInt(size))
  zip.begin('small', false, 0)
  zip.end(0, 0, 0)
  const bytes = zip.finish()
  const large = bytes.subarray(46 + 'large'.length)
  expect(bytes.readUInt32LE(20)).toBe(0xffff_ffff)
  expect([large.readUInt16LE(0), large.readBigUInt64LE(4), large.readBigUInt64LE(20)]).toEqual([1, BigInt(size), 0n])
  const small = bytes.subarray(46 + 'large'.length + 28 + 46 + 'small'.length)
  expect(small.readBigUInt64LE(20)).toBe(BigInt(30 + 'large'.length + 20 + size + 24))
})

test('writes all sizes in 64 bits for a file that may exceed 4 GB when compressed', () => {
  const zip = createZipWriter()
  const size = 0xffff_fff0
  expect(zip.begin('random', true, size).readUInt16LE(4)).toBe(45)
  expect(zip.end(1, size, size + 400_000).length).toBe(24)
  expect(zip.finish().readUInt32LE(20)).toBe(0xffff_ffff)
  zip.begin('small', true, 5)
  expect(() => zip.end(1, 5, 2 ** 33)).toThrow('small is larger than announced')
})
