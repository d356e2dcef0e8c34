/** A file in a zip, as far as the directory names it. */
export interface ZipEntry {
  name: string
  crc: number
  sizeBytes: number
  packedBytes: number
  isPacked: boolean
  /** Its sizes are written in 64 bits. Who reads it as a stream learns so before the content, or misreads what is behind. */
  isLarge: boolean
}

/** What the directory at the end says of an entry, and where that begins. */
interface Listed extends ZipEntry {
  offset: number
}

const versionPlain = 20
const versionZip64 = 45
/** Unix, so that the mode counts. */
const madeBy = (3 << 8) | versionZip64
/** Sizes stand behind the content; the other bit says that the name is UTF-8. */
const sizesBehind = 1 << 3
const utf8 = 1 << 11
const deflated = 8
/** The first day that the format knows, and a file that all may read: a bundle's bytes depend on its content only. */
const firstDay = (1 << 21) | (1 << 16)
const attributes = ((0o100644 << 16) | 0x20) >>> 0
const most16 = 0xffff
const most32 = 0xffff_ffff
/** A file of this size may be packed into more than 32 bits tell: what cannot be compressed grows a little. */
const minLarge = 4_000_000_000

/**
 * Writes a zip around content that is compressed elsewhere: APPNOTE.TXT 6.3, sections 4.3 and 4.4, with the Zip64 records
 * where a number is too large. Entries come one after the other: `begin`, the content, `end`; then `finish`.
 */
export function createZipWriter() {
  const listed: Listed[] = []
  let offset = 0

  function count(bytes: Buffer): Buffer {
    offset += bytes.length
    return bytes
  }

  return {
    /** What stands before the content; all of it may be given at once. Its size before it is packed has to be known. */
    begin(name: string, isPacked: boolean, sizeBytes: number, content: Buffer = Buffer.alloc(0)): Buffer {
      const isLarge = sizeBytes >= minLarge
      const entry: Listed = { name, isPacked, isLarge, crc: 0, sizeBytes, packedBytes: 0, offset }
      listed.push(entry)
      const bytes = Buffer.from(name)
      const size = isLarge ? most32 : 0
      const extra = isLarge ? extra64(0, 0) : Buffer.alloc(0)
      const head = [...common(versionOf(isLarge), entry), 4, 0, 4, size, 4, size, 2, bytes.length, 2, extra.length]
      return count(Buffer.concat([record(0x0403_4b50, ...head), bytes, extra, content]))
    },
    /** A part of the content. */
    pass: count,
    /** What stands behind the content. */
    end(crc: number, sizeBytes: number, packedBytes: number): Buffer {
      const entry = listed[listed.length - 1] as Listed
      Object.assign(entry, { crc, sizeBytes, packedBytes })
      if (!entry.isLarge && Math.max(sizeBytes, packedBytes) >= most32)
        throw new Error(`${entry.name} is larger than was said before`)
      const width = entry.isLarge ? 8 : 4
      return count(record(0x0807_4b50, 4, crc, width, packedBytes, width, sizeBytes))
    },
    /** The directory. */
    finish(): Buffer {
      const start = offset
      const directory = Buffer.concat(listed.map(describe))
      return Buffer.concat([directory, endOf(listed.length, start, directory.length)])
    },
  }
}

/** Numbers as they stand in the file: pairs of a width in bytes and a value. */
function record(signature: number, ...fields: number[]): Buffer {
  let length = 4
  for (let at = 0; at < fields.length; at += 2) length += fields[at] ?? 0
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32LE(signature)
  let at = 4
  for (let index = 0; index < fields.length; index += 2) {
    const width = fields[index] ?? 0
    const value = fields[index + 1] ?? 0
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at)
    else bytes.writeUIntLE(value, at, width)
    at += width
  }
  return bytes
}

/** The fields that both heads of an entry begin with. */
function common(version: number, { name, isPacked }: ZipEntry): number[] {
  const flags = sizesBehind | (Buffer.byteLength(name) === name.length ? 0 : utf8)
  return [2, version, 2, flags, 2, isPacked ? deflated : 0, 4, firstDay]
}

function describe(entry: Listed): Buffer {
  const { crc, sizeBytes, packedBytes, offset } = entry
  const name = Buffer.from(entry.name)
  const isLarge = entry.isLarge || offset >= most32
  const extra = isLarge ? extra64(sizeBytes, packedBytes, offset) : Buffer.alloc(0)
  const [packed, plain, where] = isLarge ? [most32, most32, most32] : [packedBytes, sizeBytes, offset]
  const head = record(
    0x0201_4b50,
    ...[2, madeBy, ...common(versionOf(isLarge), entry), 4, crc, 4, packed, 4, plain],
    ...[2, name.length, 2, extra.length, 2, 0, 2, 0, 2, 0, 4, attributes, 4, where],
  )
  return Buffer.concat([head, name, extra])
}

/** The field that has in 64 bits what the head says is too large for 32. */
function extra64(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 + values.length * 8)
  bytes.writeUInt16LE(1)
  bytes.writeUInt16LE(values.length * 8, 2)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  return bytes
}

function versionOf(isLarge: boolean): number {
  return isLarge ? versionZip64 : versionPlain
}

function endOf(entries: number, start: number, length: number): Buffer {
  const isLarge = entries >= most16 || Math.max(start, length) >= most32
  const [shown, size, where] = isLarge ? [most16, most32, most32] : [entries, length, start]
  const end = record(0x0605_4b50, 2, 0, 2, 0, 2, shown, 2, shown, 4, size, 4, where, 2, 0)
  if (!isLarge) return end
  const versions = [2, versionZip64, 2, versionZip64]
  const end64 = [8, 44, ...versions, 4, 0, 4, 0, 8, entries, 8, entries, 8, length, 8, start]
  const locator = record(0x0706_4b50, 4, 0, 8, start + length, 4, 1)
  return Buffer.concat([record(0x0606_4b50, ...end64), locator, end])
}
