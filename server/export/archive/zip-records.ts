/** A file in a zip, as the directory lists it. */
export interface ZipEntry {
  name: string
  crc: number
  sizeBytes: number
  packedBytes: number
  isPacked: boolean
  /** Whether sizes are written in 64 bits. A program that reads the zip as a stream needs this before the content. */
  isLarge: boolean
}

/** An entry of the directory, with the offset of the file in the zip. */
interface Listed extends ZipEntry {
  offset: number
}

const versionPlain = 20
const versionZip64 = 45
/** Declares Unix as the origin of the zip; programs then use the file mode. */
const madeBy = (3 << 8) | versionZip64
/** General purpose bits: sizes follow the content; the name is UTF-8. */
const sizesFollow = 1 << 3
const utf8 = 1 << 11
const deflated = 8
/**
 * The first date of the format, and the mode of a readable file. Both are fixed, so the bytes of a bundle depend only on its
 * content.
 */
const firstDay = (1 << 21) | (1 << 16)
const attributes = ((0o100644 << 16) | 0x20) >>> 0
const maxUint16 = 0xffff
const maxUint32 = 0xffff_ffff
/** From this size on, the compressed size may need more than 32 bits, because incompressible content grows a little. */
const minLarge = 4_000_000_000

/**
 * Creates a writer for the records of a zip around compressed content: APPNOTE.TXT 6.3, sections 4.3 and 4.4, with Zip64
 * records for large numbers. For each entry, call `begin`, `pass` for each chunk of its content, and `end`; after the last
 * entry, call `finish`.
 */
export function createZipWriter() {
  const listed: Listed[] = []
  let offset = 0

  function count(bytes: Buffer): Buffer {
    offset += bytes.length
    return bytes
  }

  return {
    /**
     * Returns the bytes before the content.
     *
     * @param sizeBytes size of the uncompressed content.
     * @param content the whole content, if available.
     */
    begin(name: string, isPacked: boolean, sizeBytes: number, content: Buffer = Buffer.alloc(0)): Buffer {
      const isLarge = sizeBytes >= minLarge
      const entry: Listed = { name, isPacked, isLarge, crc: 0, sizeBytes, packedBytes: 0, offset }
      listed.push(entry)
      const bytes = Buffer.from(name)
      const size = isLarge ? maxUint32 : 0
      const extra = isLarge ? extra64(0, 0) : Buffer.alloc(0)
      const head = [...common(versionOf(isLarge), entry), 4, 0, 4, size, 4, size, 2, bytes.length, 2, extra.length]
      return count(Buffer.concat([record(0x0403_4b50, ...head), bytes, extra, content]))
    },
    /** A chunk of the content. */
    pass: count,
    /** Returns the bytes after the content. */
    end(crc: number, sizeBytes: number, packedBytes: number): Buffer {
      const entry = listed[listed.length - 1] as Listed
      Object.assign(entry, { crc, sizeBytes, packedBytes })
      if (!entry.isLarge && Math.max(sizeBytes, packedBytes) >= maxUint32)
        throw new Error(`${entry.name} is larger than announced`)
      const width = entry.isLarge ? 8 : 4
      return count(record(0x0807_4b50, 4, crc, width, packedBytes, width, sizeBytes))
    },
    /** Returns the directory. */
    finish(): Buffer {
      const start = offset
      const directory = Buffer.concat(listed.map(describe))
      return Buffer.concat([directory, endOf(listed.length, start, directory.length)])
    },
  }
}

/**
 * Builds a record.
 *
 * @param fields pairs of a width in bytes and a value.
 */
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

/** Returns the first fields of an entry. They are the same in both headers. */
function common(version: number, { name, isPacked }: ZipEntry): number[] {
  const flags = sizesFollow | (Buffer.byteLength(name) === name.length ? 0 : utf8)
  return [2, version, 2, flags, 2, isPacked ? deflated : 0, 4, firstDay]
}

function describe(entry: Listed): Buffer {
  const { crc, sizeBytes, packedBytes, offset } = entry
  const name = Buffer.from(entry.name)
  const isLarge = entry.isLarge || offset >= maxUint32
  const extra = isLarge ? extra64(sizeBytes, packedBytes, offset) : Buffer.alloc(0)
  const [packed, plain, where] = isLarge ? [maxUint32, maxUint32, maxUint32] : [packedBytes, sizeBytes, offset]
  const head = record(
    0x0201_4b50,
    ...[2, madeBy, ...common(versionOf(isLarge), entry), 4, crc, 4, packed, 4, plain],
    ...[2, name.length, 2, extra.length, 2, 0, 2, 0, 2, 0, 4, attributes, 4, where],
  )
  return Buffer.concat([head, name, extra])
}

/** Returns the extra field with the 64-bit values of fields that are too large for 32 bits. */
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
  const isLarge = entries >= maxUint16 || Math.max(start, length) >= maxUint32
  const [shown, size, where] = isLarge ? [maxUint16, maxUint32, maxUint32] : [entries, length, start]
  const end = record(0x0605_4b50, 2, 0, 2, 0, 2, shown, 2, shown, 4, size, 4, where, 2, 0)
  if (!isLarge) return end
  const versions = [2, versionZip64, 2, versionZip64]
  const end64 = [8, 44, ...versions, 4, 0, 4, 0, 8, entries, 8, entries, 8, length, 8, start]
  const locator = record(0x0706_4b50, 4, 0, 8, start + length, 4, 1)
  return Buffer.concat([record(0x0606_4b50, ...end64), locator, end])
}
