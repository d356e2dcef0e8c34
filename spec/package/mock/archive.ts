/** A text file of an archive. */
export interface ArchivedFile {
  /** With slashes, without a leading one. */
  path: string
  text: string
}

interface StoredFile {
  name: Uint8Array
  bytes: Uint8Array
  crc: number
}

/** 1980-01-01, the first date of the format. */
const zipDate = (1 << 5) | 1

/** Packs small files into a zip without compression (APPNOTE.TXT 6.3), so that the bytes are the same on every machine. */
export function packZip(files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const file of files.map(toStored)) {
    const { name, bytes, crc } = file
    // Fields that the header of the file and its entry in the directory share, each with its width in bytes.
    const common = [2, 20, 2, 0, 2, 0, 2, 0, 2, zipDate, 4, crc, 4, bytes.length, 4, bytes.length, 2, name.length, 2, 0]
    const head = writeRecord(0x0403_4b50, common)
    directory.push(writeRecord(0x0201_4b50, [2, 20, ...common, 2, 0, 2, 0, 2, 0, 4, 0, 4, offset]), name)
    parts.push(head, name, bytes)
    offset += head.length + name.length + bytes.length
  }
  const size = countBytes(directory)
  const end = writeRecord(0x0605_4b50, [2, 0, 2, 0, 2, files.length, 2, files.length, 4, size, 4, offset, 2, 0])
  return concatenate([...parts, ...directory, end])
}

/** Packs small files into a tar.gz without compression: ustar (POSIX.1-1988) in gzip (RFC 1952, RFC 1951 3.2.4). */
export function packTarGz(files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  const blocks = files.map(toStored).flatMap(({ name, bytes }) => [writeTarHead(name, bytes.length), padTo512(bytes)])
  const tar = concatenate([...blocks, new Uint8Array(1024)])
  const stored: Uint8Array[] = []
  for (let offset = 0; offset < tar.length; offset += 0xffff) {
    const block = tar.subarray(offset, offset + 0xffff)
    const isLast = offset + 0xffff >= tar.length ? 1 : 0
    stored.push(writeFields([1, isLast, 2, block.length, 2, block.length ^ 0xffff]), block)
  }
  const head = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
  return concatenate([head, ...stored, writeFields([4, crc32(tar), 4, tar.length])])
}

function toStored({ path, text }: ArchivedFile): StoredFile {
  const bytes = new TextEncoder().encode(text)
  return { name: new TextEncoder().encode(path), bytes, crc: crc32(bytes) }
}

function writeTarHead(name: Uint8Array, sizeBytes: number): Uint8Array {
  const head = new Uint8Array(512)
  const write = (offset: number, text: string) => head.set(new TextEncoder().encode(text), offset)
  head.set(name)
  write(100, '0000644\0')
  write(108, '0000000\0')
  write(116, '0000000\0')
  write(124, `${sizeBytes.toString(8).padStart(11, '0')}\0`)
  write(136, '00000000000\0')
  // The checksum is computed with spaces in its place.
  write(148, '        ')
  write(156, '0')
  write(257, 'ustar\0' + '00')
  const sum = head.reduce((total, byte) => total + byte, 0)
  write(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return head
}

function padTo512(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / 512) * 512)
  padded.set(bytes)
  return padded
}

function writeRecord(signature: number, fields: readonly number[]): Uint8Array {
  return writeFields([4, signature, ...fields])
}

/** Writes numbers in little-endian order. `fields` are pairs of a width in bytes and a value. */
function writeFields(fields: readonly number[]): Uint8Array {
  const bytes: number[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1] ?? 0
    for (let byte = 0; byte < (fields[i] ?? 0); byte++) bytes.push((value >>> (byte * 8)) & 0xff)
  }
  return Uint8Array.from(bytes)
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(countBytes(parts))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

function countBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, { length }) => total + length, 0)
}

/** The checksum of zip and gzip (ISO 3309). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1
  }
  return (crc ^ 0xffff_ffff) >>> 0
}
