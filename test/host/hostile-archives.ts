import { gzipSync } from 'node:zlib'
import { createRandomBytes } from '../support/random.ts'
import { makeTar, makeTarGz, makeZip, type TarPart, type ZipPart } from '../unpack/make-archives.ts'
import { makeSite, siteParts } from './make-site.ts'

/** An archive that no host may serve. */
export interface HostileArchive {
  what: string
  bytes: () => Buffer
}

const site = siteParts({ version: 'evil' })
const inZip = (...parts: ZipPart[]) => makeZip([...site, ...parts])
const inTar = (...parts: TarPart[]) =>
  makeTarGz([...site.map(({ name, content = '' }) => ({ name: String(name), content })), ...parts])
const megabytes = (count: number) => Buffer.alloc(count * 1024 ** 2)

/** Names that lead out of the folder, or that a file system may understand as another name. */
const names = [
  ...['../out', 'a/../../out', '..', '.', 'a/..', './../out', '/out', '//host/out', '/etc/cron.d/out'],
  ...['C:/out', 'c:out', './C:/out', '..\\out', 'a\\..\\..\\out', '\\\\host\\out', 'a\u0000b', 'a\nb', 'x'.repeat(300)],
  `${'a/'.repeat(120)}b`,
]

/** Names that are equal to those of the site, or of each other, on some file system. */
const collisions = [
  ['index.html', 'Index.HTML'],
  ['twice', 'twice'],
  ['twice', './twice'],
  ['caf\u00e9', 'cafe\u0301'],
  ['x', 'x/y'],
  ['A/x', 'a/y'],
]

const pax = (record: string) => ({ name: 'pax', type: 'x', content: `${record.length + 3}${record}` })
const whole = makeSite({ version: 'evil' })
const wholeTar = inTar()

/** Archives by name, path and type. */
function listEntries(): HostileArchive[] {
  const tarTypes = { '1': 'hard link', '2': 'symbolic link', '3': 'character device', '4': 'block device', '6': 'pipe' }
  return [
    ...names.flatMap(name => [
      { what: `zip: the name ${JSON.stringify(name).slice(0, 30)}`, bytes: () => inZip({ name, content: 'x' }) },
      ...(name.includes('\0') || name.length > 100
        ? []
        : [{ what: `tar.gz: the name ${JSON.stringify(name)}`, bytes: () => inTar({ name, content: 'x' }) }]),
    ]),
    ...collisions.flatMap(([one = '', two = '']) => [
      { what: `zip: ${one} and ${two}`, bytes: () => inZip({ name: one }, { name: two }) },
      { what: `tar.gz: ${one} and ${two}`, bytes: () => inTar({ name: one }, { name: two }) },
    ]),
    ...Object.entries(tarTypes).map(([type, what]) => ({
      what: `tar.gz: a ${what}`,
      bytes: () => inTar({ name: 'link', type, link: '/etc/passwd' }, { name: 'link/x', content: 'x' }),
    })),
    { what: 'zip: a symbolic link', bytes: () => inZip({ name: 'link', mode: 0o120777, content: '/etc/passwd' }) },
    { what: 'zip: a device', bytes: () => inZip({ name: 'device', mode: 0o020666 }) },
    { what: 'zip: an encrypted file', bytes: () => inZip({ name: 'secret', flags: 0x0801 }) },
    { what: 'tar.gz: a PAX path with NUL', bytes: () => inTar(pax(' path=a\0bcde\n'), { name: 'a' }) },
    { what: 'tar.gz: a PAX path out of the folder', bytes: () => inTar(pax(' path=../out\n'), { name: 'a' }) },
    {
      what: 'tar.gz: a long PAX header',
      bytes: () => inTar({ name: 'pax', type: 'x', content: megabytes(5) }, { name: 'a' }),
    },
  ]
}

/** Archives that are damaged, or whose parts contradict each other. */
function listDamaged(): HostileArchive[] {
  const content = 'hello '.repeat(50)
  return [
    { what: 'zip: a wrong checksum', bytes: () => inZip({ name: 'a', content, crc: 1 }) },
    { what: 'zip: a size that is too small', bytes: () => inZip({ name: 'a', content, size: 10 }) },
    { what: 'zip: another name in the local header', bytes: () => inZip({ name: 'a', localName: '../a', content }) },
    { what: 'zip: entries that share bytes', bytes: () => inZip({ name: 'a', content, sharesWith: 0 }) },
    { what: 'zip: hidden entries', bytes: () => makeZip([...site, { name: 'a' }], site.length) },
    ...[0.1, 0.5, 0.99].map(part => ({
      what: `zip: cut after ${part * 100} %`,
      bytes: () => whole.subarray(0, Math.floor(whole.length * part)),
    })),
    ...[0.1, 0.5, 0.99].map(part => ({
      what: `tar.gz: cut after ${part * 100} %`,
      bytes: () => wholeTar.subarray(0, Math.floor(wholeTar.length * part)),
    })),
    { what: 'a gzip of text', bytes: () => gzipSync('hello '.repeat(500)) },
    { what: 'text', bytes: () => Buffer.from('hello '.repeat(50)) },
    { what: 'nothing', bytes: () => Buffer.alloc(0) },
    { what: 'zip: no first page', bytes: () => makeZip([{ name: 'a.html', content }]) },
  ]
}

/** Archives that would fill the memory or the disk. */
function listBombs(maxEntries: number): HostileArchive[] {
  const zeros = megabytes(40)
  const many = Array.from({ length: maxEntries + 1 }, (_, index) => ({ name: `f/${index}` }))
  return [
    { what: 'zip: 1000:1', bytes: () => inZip({ name: 'a', content: zeros }) },
    { what: 'tar.gz: 1000:1', bytes: () => inTar({ name: 'a', content: zeros }) },
    { what: 'tar.gz: endless zeros', bytes: () => gzipSync(Buffer.concat([makeTar([{ name: 'a' }]), zeros])) },
    { what: 'zip: a million entries', bytes: () => makeMillionZip() },
    { what: 'zip: more entries than allowed', bytes: () => makeZip(many.map(part => ({ ...part, method: 0 }))) },
    { what: 'tar.gz: more entries than allowed', bytes: () => makeTarGz(many) },
    { what: 'noise', bytes: () => createRandomBytes('noise', 2_000_000) },
  ]
}

/** Writes a zip64 with a million empty files. */
export function makeMillionZip(count = 1_000_000): Buffer {
  const nameBytes = 8
  const local = 30 + nameBytes
  const central = 46 + nameBytes
  const bytes = Buffer.alloc(count * (local + central) + 56 + 20 + 22)
  for (let index = 0; index < count; index += 1) {
    const name = `f${String(index).padStart(nameBytes - 1, '0')}`
    const at = index * local
    bytes.write('PK\x03\x04\x14\x00', at, 'latin1')
    bytes.writeUInt16LE(nameBytes, at + 26)
    bytes.write(name, at + 30, 'latin1')
    const head = count * local + index * central
    bytes.write('PK\x01\x02\x14\x03\x14\x00', head, 'latin1')
    bytes.writeUInt16LE(nameBytes, head + 28)
    bytes.writeUInt32LE(at, head + 42)
    bytes.write(name, head + 46, 'latin1')
  }
  const end = count * (local + central)
  bytes.write('PK\x06\x06', end, 'latin1')
  bytes.writeBigUInt64LE(44n, end + 4)
  bytes.writeUInt16LE(45, end + 12)
  bytes.writeUInt16LE(45, end + 14)
  for (const [offset, value] of [
    [24, count],
    [32, count],
    [40, count * central],
    [48, count * local],
  ] as const)
    bytes.writeBigUInt64LE(BigInt(value), end + offset)
  bytes.write('PK\x06\x07', end + 56, 'latin1')
  bytes.writeBigUInt64LE(BigInt(end), end + 56 + 8)
  bytes.writeUInt32LE(1, end + 56 + 16)
  bytes.write('PK\x05\x06', end + 76, 'latin1')
  bytes.fill(0xff, end + 76 + 8, end + 76 + 20)
  return bytes
}

export function listHostile(maxEntries: number): HostileArchive[] {
  return [...listEntries(), ...listDamaged(), ...listBombs(maxEntries)]
}
