import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ArchiveError } from '../../server/unpack/archive-error.ts'
import { unpackArchive } from '../../server/unpack/unpack-archive.ts'
import { defaultUnpackLimits, type UnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { createRandomBytes } from '../support/random.ts'
import { makeTar, makeTarGz, makeZip, type TarPart, type ZipPart } from './make-archives.ts'

let parent: string
let runs = 0
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'quire-unpack-'))
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))

/** Unpacks into an empty folder that has neighbours. Returns the folder and the unpacked paths. */
async function unpack(bytes: Buffer, limits: Partial<UnpackLimits> = {}) {
  runs += 1
  const around = join(parent, String(runs))
  const folder = join(around, 'deep', 'folder')
  const file = join(parent, 'archive')
  mkdirSync(around)
  writeFileSync(file, bytes)
  const paths = await unpackArchive({
    file,
    folder,
    limits: { ...defaultUnpackLimits, ...limits },
    signal: new AbortController().signal,
  }).finally(() => {
    const outside = (readdirSync(around, { recursive: true }) as string[]).filter(
      path => path !== 'deep' && !`${path}/`.startsWith('deep/folder/'),
    )
    expect(outside).toEqual([])
  })
  return { folder, paths, read: (path: string) => readFileSync(join(folder, path), 'utf8') }
}

async function expectRefused(bytes: Buffer, message: RegExp, limits: Partial<UnpackLimits> = {}): Promise<void> {
  const error = await unpack(bytes, limits).catch(error => error)
  expect(error).toBeInstanceOf(ArchiveError)
  expect(error.message).toMatch(message)
}

const good = [
  { name: 'a/', mode: 0o040755, type: '5' },
  { name: 'a/index.html', content: 'hello '.repeat(2000) },
  { name: './a//b.css', content: '' },
  { name: 'ünï/ß.txt', content: 'x' },
]

test.each([
  ['zip', makeZip(good)],
  ['tar.gz', makeTarGz(good)],
  ['tar.gz with the folder itself', makeTarGz([{ name: './', type: '5' }, ...good])],
])('unpacks files and folders of a %s, with normalized names', async (_, bytes) => {
  const { folder, paths, read } = await unpack(bytes)
  expect(paths).toEqual(['a/index.html', 'a/b.css', 'ünï/ß.txt'])
  expect([read('a/index.html'), read('a/b.css'), read('ünï/ß.txt')]).toEqual(['hello '.repeat(2000), '', 'x'])
  expect(statSync(join(folder, 'a/index.html')).mode & 0o111).toBe(0)
})

test('an entry of a zip may need Zip64 only because of its place, which its local header does not know', async () => {
  const { read } = await unpack(makeZip([{ name: 'a.txt', content: 'far away', version: 45 }]))
  expect(read('a.txt')).toBe('far away')
})

describe('a name that is not safe is refused in both formats', () => {
  const long = 'x'.repeat(300)
  test.each<[string, RegExp]>([
    ['../escaped', /^The archive has an entry with the name "\.\.\/escaped", which leads out of the folder\.$/],
    ['a/../../escaped', /leads out of the folder/],
    ['a/..', /leads out of the folder/],
    ['/tmp/quire-escaped', /is an absolute path/],
    ['//host/share/file', /is an absolute path/],
    ['C:/escaped', /begins with a drive letter/],
    ['c:escaped', /begins with a drive letter/],
    ['./C:/escaped', /begins with a drive letter/],
    ['..\\escaped', /has a backslash/],
    ['a\\b', /has a backslash/],
    ['a\nb', /has a control character/],
    ['.', /a file without a name/],
  ])('%j', async (name, message) => {
    await expectRefused(
      makeZip([
        { name: 'first', content: 'x' },
        { name, content: 'x' },
      ]),
      message,
    )
    await expectRefused(
      makeTarGz([
        { name: 'first', content: 'x' },
        { name, content: 'x' },
      ]),
      message,
    )
  })

  test('with NUL', async () => {
    await expectRefused(makeZip([{ name: 'a\0b' }]), /"a\\u0000b", which has a control character/)
    const record = ' path=a\0b\n'
    const pax = { name: 'pax', type: 'x', content: `${record.length + 2}${record}` }
    await expectRefused(makeTarGz([pax, { name: 'a' }]), /has a control character/)
  })

  test('in too many folders', async () => {
    await expectRefused(makeZip([{ name: `${'a/'.repeat(100)}b` }]), /is in too many folders/)
    expect((await unpack(makeZip([{ name: `${'a/'.repeat(99)}b` }]))).paths).toHaveLength(1)
  })

  test('of many megabytes together', async () => {
    const folder = `${'x'.repeat(200)}/`.repeat(9)
    const parts = Array.from({ length: 19_000 }, (_, index) => ({ name: `${folder}${index}`, method: 0 }))
    await expectRefused(makeZip(parts), /^The names in the archive have more than 32 MB\.$/)
  })

  test('too long', async () => {
    await expectRefused(makeZip([{ name: long }]), /is too long/)
    await expectRefused(makeZip([{ name: `${'a/'.repeat(1500)}b` }]), /is too long/)
    const record = ` path=${long}\n`
    await expectRefused(
      makeTarGz([{ name: 'pax', type: 'x', content: `${record.length + 3}${record}` }, { name: 'a' }]),
      /is too long/,
    )
  })
})

describe('names that a file system may confuse are refused in both formats', () => {
  test.each<[string, string, RegExp]>([
    ['a', 'a', /two entries that a file system may confuse/],
    ['a', './a', /may confuse/],
    ['a.html', 'A.HTML', /may confuse/],
    ['a/x', 'A/y', /may confuse/],
    ['\u00e9', 'e\u0301', /may confuse/],
    ['a', 'a/b', /a file and a folder with the name "a"/],
    ['a/b', 'a', /may confuse/],
    ['A/b', 'a', /may confuse/],
  ])('%j and %j', async (first, second, message) => {
    const parts = [first, second].map(name => ({ name, content: 'x' }))
    await expectRefused(makeZip(parts), message)
    await expectRefused(makeTarGz(parts), message)
  })
})

describe('an entry that is neither a file nor a folder is refused', () => {
  test.each<[string, TarPart]>([
    ['a symbolic link', { name: 'a', type: '2', link: '/etc/passwd' }],
    ['a hard link', { name: 'a', type: '1', link: 'first' }],
    ['a character device', { name: 'a', type: '3' }],
    ['a block device', { name: 'a', type: '4' }],
    ['a named pipe', { name: 'a', type: '6' }],
    ['a contiguous file', { name: 'a', type: '7' }],
  ])('%s in a tar.gz', async (_, part) => {
    await expectRefused(makeTarGz([{ name: 'first' }, part]), /contains "a", which is neither a file nor a folder/)
  })

  test.each<[string, Partial<ZipPart>, RegExp]>([
    ['a symbolic link', { mode: 0o120777, content: '/etc/passwd' }, /neither a file nor a folder/],
    ['a device', { mode: 0o020666 }, /neither a file nor a folder/],
    ['a folder without a slash', { mode: 0o040755 }, /neither a file nor a folder/],
    ['an encrypted file', { flags: 0x0801 }, /"a", which is encrypted/],
    ['an unknown compression', { method: 12 }, /damaged or not complete \(unsupported compression method: 12\)/],
    ['a folder with content', { name: 'a/', mode: 0o040755, content: 'x' }, /a folder with content/],
  ])('%s in a zip', async (_, part, message) => {
    await expectRefused(makeZip([{ name: 'first' }, { name: 'a', ...part }]), message)
  })
})

describe('a zip whose parts contradict each other is refused', () => {
  const content = 'hello '.repeat(50)
  test.each<[string, Buffer, RegExp]>([
    ['a wrong checksum', makeZip([{ name: 'a', content, crc: 1 }]), /"a" does not have its checksum/],
    ['a size that is too small', makeZip([{ name: 'a', content, size: 10 }]), /damaged or not complete/],
    ['a size that is too large', makeZip([{ name: 'a', content, size: 1000 }]), /damaged or not complete/],
    ['another local version', makeZip([{ name: 'a', content, version: 63 }]), /the two headers of "a" differ/],
    ['another local name', makeZip([{ name: 'a', localName: '../a', content }]), /the two headers of "a" differ/],
    [
      'entries that share bytes',
      makeZip([
        { name: 'a', content },
        { name: 'b', content, sharesWith: 0 },
      ]),
      /entries that share the same bytes/,
    ],
    ['hidden entries', makeZip([{ name: 'a' }, { name: 'b' }], 1), /more files than the archive announces/],
    ['fewer entries than announced', makeZip([{ name: 'a' }], 2), /damaged or not complete/],
  ])('%s', async (_, bytes, message) => {
    await expectRefused(bytes, message)
  })
})

describe('a bomb is refused before it fills the disk', () => {
  const zeros = Buffer.alloc(40 * 1024 ** 2)

  test('1000:1 in a zip, before anything is written', async () => {
    await expectRefused(makeZip([{ name: 'first' }, { name: 'a', content: zeros }]), /more than 200 times its size/)
    expect(existsSync(join(parent, String(runs), 'deep', 'folder', 'first'))).toBe(false)
  })

  test('1000:1 in a tar.gz', async () => {
    await expectRefused(makeTarGz([{ name: 'a', content: zeros }]), /more than 200 times its size/)
  })

  test('a tar.gz that ends in endless zeros', async () => {
    const tar = makeTar([{ name: 'a' }])
    await expectRefused(gzipSync(Buffer.concat([tar, zeros])), /more than 200 times its size/)
  })

  test('a long PAX header', async () => {
    const pax = { name: 'pax', type: 'x', content: zeros.subarray(0, 5 * 1024 ** 2) }
    await expectRefused(makeTarGz([pax, { name: 'a' }]), /damaged or not complete \(Header exceeds max size\)/)
  })

  test('more bytes than the limit', async () => {
    const content = createRandomBytes('bomb', 3 * 1024 ** 2)
    const limits = { totalBytes: 2 * 1024 ** 2 }
    await expectRefused(makeZip([{ name: 'a', content }]), /unpacks to more than 2 MB/, limits)
    await expectRefused(makeTarGz([{ name: 'a', content }]), /unpacks to more than 2 MB/, limits)
  })

  test('more entries than the limit', async () => {
    const parts = Array.from({ length: 30 }, (_, index) => ({ name: `f${index}` }))
    await expectRefused(makeZip(parts), /more than 29 entries/, { entries: 29 })
    await expectRefused(makeTarGz(parts), /more than 29 entries/, { entries: 29 })
    expect((await unpack(makeZip(parts), { entries: 30 })).paths).toHaveLength(30)
  })
})

describe('a damaged archive', () => {
  const parts = [
    { name: 'index.html', content: createRandomBytes('page', 3000) },
    { name: 'a/b.css', content: 'body { color: red } '.repeat(40) },
    { name: 'c.png', content: createRandomBytes('picture', 500), method: 0 },
  ]
  const archives: [string, Buffer][] = [
    ['zip', makeZip(parts)],
    ['tar.gz', makeTarGz(parts)],
  ]

  test.each(archives)('a %s that is cut off anywhere is refused', async (_, bytes) => {
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 25))
      await expectRefused(bytes.subarray(0, length), /damaged or not complete|not complete|neither a zip nor a tar\.gz/)
  })

  test.each(archives)('a %s with a flipped byte is refused, unless the files are the same', async (_, bytes) => {
    const { folder, paths } = await unpack(bytes)
    const contents = paths.map(path => readFileSync(join(folder, path)))
    let refused = 0
    const steps = 60
    for (let step = 0; step < steps; step += 1) {
      const flipped = Buffer.from(bytes)
      const at = Math.floor((step * bytes.length) / steps)
      flipped[at] = (flipped[at] ?? 0) ^ 0x55
      const after = await unpack(flipped).catch(error => error)
      if (after instanceof Error) {
        expect(after).toBeInstanceOf(ArchiveError)
        refused += 1
      } else {
        expect(after.paths).toEqual(paths)
        expect(after.paths.map((path: string) => readFileSync(join(after.folder, path)))).toEqual(contents)
      }
    }
    expect(refused).toBeGreaterThan(steps * 0.9)
  })

  test.each<[string, Buffer, RegExp]>([
    ['a tar.gz without its end', makeTarGz(parts, false), /its end is missing/],
    ['text', Buffer.from('hello '.repeat(50)), /neither a zip nor a tar\.gz/],
    ['nothing', Buffer.alloc(0), /neither a zip nor a tar\.gz/],
    ['a gzip of text', gzipSync('hello '.repeat(500)), /damaged or not complete/],
    ['a broken gzip', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(2000, 7)]), /damaged/],
    ['a zip header alone', Buffer.from('PK\x03\x04'), /damaged or not complete/],
  ])('%s is refused', async (_, bytes, message) => {
    await expectRefused(bytes, message)
  })
})
