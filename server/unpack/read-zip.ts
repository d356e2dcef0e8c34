import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import type { ArchiveEntry } from './archive-entry.ts'
import { ArchiveError, showName } from './archive-error.ts'
import { createEntryNames } from './entry-names.ts'
import { createMeter, tooManyEntries, type UnpackLimits } from './unpack-limits.ts'

/** General purpose bit: the checksum and the sizes follow the content, and the local header may have zeros. */
const sizesFollow = 0x0008
const zip64 = 0xffff_ffff
/** Types of files in the mode of Unix; 0 = the program that made the zip stored none. */
const fileTypes = { mask: 0o170000, none: 0, file: 0o100000, folder: 0o040000 }
const descriptorSignature = 0x0807_4b50
const endSignatures = [0x0605_4b50, 0x0606_4b50]

/**
 * Yields the files and folders of a zip. The whole directory is checked before the first one: names, types, sizes, and that
 * no two entries share bytes.
 *
 * @throws {ArchiveError}
 */
export async function* readZip(file: string, limits: UnpackLimits): AsyncGenerator<ArchiveEntry> {
  await checkDirectory(file, limits)
  const names = createEntryNames()
  const handle = await open(file, 'r')
  let zip: ZipFile | undefined
  try {
    zip = await openZip(file)
    const meter = createMeter(limits, zip.fileSize)
    for await (const entry of zip.eachEntry()) {
      const checked = checkEntry(entry, names)
      if (checked) yield { ...checked, content: readContent({ zip, handle, entry, addBytes: meter.addBytes }) }
    }
  } finally {
    zip?.close()
    await handle.close()
  }
}

function openZip(file: string): Promise<ZipFile> {
  return openPromise(file, { autoClose: false, decodeStrings: false, validateEntrySizes: true })
}

async function checkDirectory(file: string, limits: UnpackLimits): Promise<void> {
  const zip = await openZip(file)
  try {
    const names = createEntryNames()
    const meter = createMeter(limits, zip.fileSize)
    // The announced number is checked first: the names of a million entries would fill the memory.
    if (zip.entryCount > limits.entries) throw tooManyEntries(limits)
    const spans: [start: number, end: number][] = []
    for await (const entry of zip.eachEntry()) {
      meter.addEntry()
      checkEntry(entry, names)
      meter.addBytes(entry.uncompressedSize)
      const start = entry.relativeOffsetOfLocalHeader
      // The local header has 30 bytes and the name.
      spans.push([start, start + 30 + entry.fileNameLength + entry.compressedSize])
    }
    checkSpans(spans)
    // The types of yauzl call this number a boolean.
    await checkEnd(file, Number(zip.readEntryCursor))
  } finally {
    zip.close()
  }
}

/** Entries that share bytes make a small zip huge. */
function checkSpans(spans: [start: number, end: number][]): void {
  spans.sort(([a], [b]) => a - b)
  for (const [index, [start]] of spans.entries()) {
    const before = spans[index - 1]
    if (before && start < before[1]) throw new ArchiveError('The archive has entries that share the same bytes.')
  }
}

/** The directory must end where the end record begins; otherwise, other programs see other files. */
async function checkEnd(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(4), 0, 4, position)
    if (bytesRead === 4 && endSignatures.includes(buffer.readUInt32LE())) return
    throw new ArchiveError('The directory of the archive has more files than the archive announces.')
  } finally {
    await handle.close()
  }
}

/** Returns the path and type of an entry; null for the top folder itself. */
function checkEntry(entry: Entry, names: ReturnType<typeof createEntryNames>): Omit<ArchiveEntry, 'content'> | null {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)
  const isFolder = name.endsWith('/')
  const type = (entry.externalFileAttributes >>> 16) & fileTypes.mask
  if (type !== fileTypes.none && type !== (isFolder ? fileTypes.folder : fileTypes.file))
    throw new ArchiveError(`The archive contains ${showName(name)}, which is neither a file nor a folder.`)
  if (entry.isEncrypted()) throw new ArchiveError(`The archive contains ${showName(name)}, which is encrypted.`)
  if (isFolder && entry.uncompressedSize > 0)
    throw new ArchiveError(`The archive contains ${showName(name)}, a folder with content.`)
  const path = names.check(name, isFolder)
  return path === null ? null : { path, isFolder }
}

interface Content {
  zip: ZipFile
  handle: FileHandle
  entry: Entry
  addBytes(count: number): void
}

async function* readContent({ zip, handle, entry, addBytes }: Content): AsyncGenerator<Buffer> {
  const name = showName(entry.fileNameRaw.toString())
  const end = await checkLocalHeader(zip, entry, name)
  const stream = await zip.openReadStreamPromise(entry)
  let crc = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      addBytes(chunk.length)
      crc = crc32(chunk, crc)
      yield chunk
    }
  } finally {
    stream.destroy()
  }
  if (crc !== entry.crc32) throw new ArchiveError(`The archive is damaged: ${name} does not have its checksum.`)
  if (end !== null && !(await hasDescriptor(handle, end, entry)))
    throw new ArchiveError(`The archive is damaged: the record after ${name} differs from its header.`)
}

/** The version of the format that has Zip64. */
const versionOfZip64 = 45

/**
 * Programs that read a zip as a stream believe the local header, so it must say the same as the directory. Returns where the
 * record with the sizes follows; null = there is none.
 */
async function checkLocalHeader(zip: ZipFile, entry: Entry, name: string): Promise<number | null> {
  const local = await zip.readLocalFileHeaderPromise(entry)
  const isSame =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    local.lastModFileDate === entry.lastModFileDate &&
    local.lastModFileTime === entry.lastModFileTime &&
    (local.versionNeededToExtract === entry.versionNeededToExtract ||
      // The directory says so of an entry that begins after 2 or 4 GB; its local header need not.
      entry.versionNeededToExtract === versionOfZip64) &&
    local.generalPurposeBitFlag === entry.generalPurposeBitFlag
  const hasSizes = (local.generalPurposeBitFlag & sizesFollow) === 0
  const fits = (size: number, known: number) => size === known || size === zip64 || (size === 0 && !hasSizes)
  const hasFittingSizes =
    (local.crc32 === entry.crc32 || (local.crc32 === 0 && !hasSizes)) &&
    fits(local.compressedSize, entry.compressedSize) &&
    fits(local.uncompressedSize, entry.uncompressedSize)
  if (!isSame || !hasFittingSizes) throw new ArchiveError(`The archive is damaged: the two headers of ${name} differ.`)
  return hasSizes ? null : local.fileDataStart + entry.compressedSize
}

/** Reads the record behind the content: a signature, which may be missing, the checksum, and two sizes of 4 or 8 bytes. */
async function hasDescriptor(handle: FileHandle, at: number, entry: Entry): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(24), 0, 24, at)
  const start = buffer.readUInt32LE() === descriptorSignature ? 4 : 0
  const { crc32: crc, compressedSize, uncompressedSize } = entry
  if (buffer.readUInt32LE(start) !== crc) return false
  const short = [buffer.readUInt32LE(start + 4), buffer.readUInt32LE(start + 8)]
  const long = [Number(buffer.readBigUInt64LE(start + 4)), Number(buffer.readBigUInt64LE(start + 12))]
  return [short, long].some(([packed, plain]) => packed === compressedSize && plain === uncompressedSize)
}
