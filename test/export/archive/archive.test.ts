import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { ZipArchive } from 'archiver'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { archiveFiles, createZipWriter } from '../../../server/export/archive/archive.ts'
import type { BundleFormat } from '../../../server/export/model/options.ts'
import { readArchive } from '../read-archive.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-archive-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const longPath = `deep/${'x'.repeat(120)}/${'y'.repeat(90)}.txt`

function fill(name: string, mtime: number): string {
  const root = join(folder, name)
  const large = Buffer.alloc(5 * 1024 * 1024, 'large ')
  const contents: [string, string | Buffer][] = [
    ['b.txt', 'b'],
    ['a/ü.html', '<p>ü'],
    ['empty', ''],
    [longPath, 'long'],
    ['large.bin', large],
  ]
  for (const [path, content] of contents) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content, { mode: mtime % 2 === 0 ? 0o600 : 0o755 })
    utimesSync(join(root, path), mtime, mtime)
  }
  return root
}

const paths = ['empty', 'b.txt', longPath, 'a/ü.html', 'large.bin']
const signal = new AbortController().signal

test.each<BundleFormat>(['zip', 'tar.gz'])(
  '%s: the same files give the same bytes, whatever their dates, modes and order',
  async format => {
    const one = join(folder, 'one')
    const two = join(folder, 'two')
    const first = await archiveFiles({ folder: fill('x', 1_000_000_000), paths, format, outFile: one, signal })
    const second = await archiveFiles({
      folder: fill('y', 1_700_000_001),
      paths: [...paths].reverse(),
      format,
      outFile: two,
      signal,
    })
    expect(second).toEqual(first)
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true)
    expect(first.sha256).toBe(createHash('sha256').update(readFileSync(one)).digest('hex'))
    expect(first.sizeBytes).toBe(readFileSync(one).length)

    const entries = readArchive(one)
    expect(entries.map(({ name }) => name)).toEqual([...paths].sort())
    expect(entries.map(({ mode }) => mode & 0o777)).toEqual(paths.map(() => 0o644))
    expect(entries.find(({ name }) => name === longPath)?.content.toString()).toBe('long')
    expect(entries.find(({ name }) => name === 'large.bin')?.content.length).toBe(5 * 1024 * 1024)
  },
)

test('a failure leaves no files', async () => {
  const outFile = join(folder, 'out.zip')
  const root = fill('x', 1_000_000_000)
  const work = archiveFiles({ folder: root, paths: [...paths, 'z-missing'], format: 'zip', outFile, signal })
  await expect(work).rejects.toMatchObject({ code: 'ENOENT' })
  expect(readdirSync(folder)).toEqual(['x'])
})

test('an abort leaves no files', async () => {
  const controller = new AbortController()
  const root = fill('x', 1_000_000_000)
  const outFile = join(folder, 'out.zip')
  const work = archiveFiles({ folder: root, paths, format: 'zip', outFile, signal: controller.signal })
  controller.abort(new Error('stopped'))
  await expect(work).rejects.toThrow()
  expect(readdirSync(folder)).toEqual(['x'])
})

test('if two writers write the same file, one fails and the file is complete', async () => {
  const root = fill('x', 1_000_000_000)
  const outFile = join(folder, 'out.zip')
  const write = () => archiveFiles({ folder: root, paths, format: 'zip', outFile, signal })
  const outcomes = await Promise.allSettled([write(), write(), write()])
  const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.message] : []))
  expect(reasons.length).toBeGreaterThan(0)
  for (const reason of reasons) expect(reason).toMatch(/^Another export is writing to out\.zip\.|EEXIST/)
  if (reasons.length < 3) expect(readArchive(outFile)).toHaveLength(paths.length)
  expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([])
})

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
