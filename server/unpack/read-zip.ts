import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import type { ArchiveEntry } from './archive-entry.ts'
import { ArchiveError, showName } from './archive-error.ts'
import { createEntryNames } from './entry-names.ts'
import { createMeter, type UnpackLimits } from './unpack-limits.ts'

/** General purpose bits that both headers of an entry must share: encrypted, sizes follow, UTF-8. */
const sharedBits = 0x0809
const sizesFollow = 0x0008
const zip64 = 0xffff_ffff
/** Types of files in the mode of Unix; 0 = the program that made the zip stored none. */
const fileTypes = { mask: 0o170000, none: 0, file: 0o100000, folder: 0o040000 }
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
  const meter = createMeter(limits, (await sizeOf(file)) ?? 0)
  const zip = await openZip(file)
  try {
    for await (const entry of zip.eachEntry()) {
      const checked = checkEntry(entry, names)
      if (checked) yield { ...checked, content: readContent(zip, entry, meter.addBytes) }
    }
  } finally {
    zip.close()
  }
}

function openZip(file: string): Promise<ZipFile> {
  return openPromise(file, { autoClose: false, decodeStrings: false, validateEntrySizes: true })
}

async function sizeOf(file: string): Promise<number | null> {
  const handle = await open(file, 'r')
  try {
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

async function checkDirectory(file: string, limits: UnpackLimits): Promise<void> {
  const zip = await openZip(file)
  try {
    const names = createEntryNames()
    const meter = createMeter(limits, zip.fileSize)
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

async function* readContent(zip: ZipFile, entry: Entry, addBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const name = showName(entry.fileNameRaw.toString())
  await checkLocalHeader(zip, entry, name)
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
}

/** Programs that read a zip as a stream believe the local header, so it must say the same as the directory. */
async function checkLocalHeader(zip: ZipFile, entry: Entry, name: string): Promise<void> {
  const local = await zip.readLocalFileHeaderPromise(entry)
  const differs = (a: number, b: number) => a !== b && a !== zip64
  const isSame =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    (local.generalPurposeBitFlag & sharedBits) === (entry.generalPurposeBitFlag & sharedBits)
  const hasSizes = (local.generalPurposeBitFlag & sizesFollow) === 0
  const hasOtherSizes =
    local.crc32 !== entry.crc32 ||
    differs(local.compressedSize, entry.compressedSize) ||
    differs(local.uncompressedSize, entry.uncompressedSize)
  if (!isSame || (hasSizes && hasOtherSizes))
    throw new ArchiveError(`The archive is damaged: the two headers of ${name} differ.`)
}
