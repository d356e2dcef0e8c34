import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'

export interface ArchiveEntry {
  name: string
  content: Buffer
  /** The mode of the file in the archive. */
  mode: number
}

/** Reads a zip or a tar.gz. Supports only the features that Quire writes. */
export function readArchive(file: string): ArchiveEntry[] {
  const bytes = readFileSync(file)
  return bytes.readUInt16BE(0) === 0x504b ? readZip(bytes) : readTar(gunzipSync(bytes))
}

/** Returns a file of an archive as text. */
export function readEntry(entries: readonly ArchiveEntry[], name: string): string {
  const entry = entries.find(entry => entry.name === name)
  if (!entry) throw new Error(`The archive has no ${name}, but ${entries.map(({ name }) => name).join(', ')}`)
  return entry.content.toString()
}

/** Unpacks an archive into a folder. Refuses names that lead out of the folder. */
export function unpackArchive(file: string, folder: string): void {
  for (const { name, content } of readArchive(file)) {
    const path = resolve(join(folder, name))
    if (!path.startsWith(resolve(folder) + sep)) throw new Error(`${name} leaves the folder`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

function readZip(bytes: Buffer): ArchiveEntry[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  const count = bytes.readUInt16LE(end + 10)
  const entries: ArchiveEntry[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
    const content = bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    entries.push({ name, content, mode: bytes.readUInt32LE(at + 38) >>> 16 })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

function readTar(bytes: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = []
  let longName: string | undefined
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const text = (start: number, end: number) => bytes.toString('utf8', at + start, at + end).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 136), 8)
    const content = bytes.subarray(at + 512, at + 512 + size)
    const type = text(156, 157)
    const prefix = text(345, 500)
    const name = longName ?? (prefix ? `${prefix}/` : '') + text(0, 100)
    // With links and devices, an archive could write outside the folder.
    if (!['0', '', 'x'].includes(type)) throw new Error(`The archive has an entry of type ${type}`)
    if (type === 'x') longName = / path=(.*)\n/.exec(content.toString())?.[1]
    else {
      entries.push({ name, content, mode: Number.parseInt(text(100, 108), 8) })
      longName = undefined
    }
    at += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}
