// Offsets and sizes of ELF-64, little-endian: https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
const header = {
  programs: 32,
  sections: 40,
  programSize: 54,
  programCount: 56,
  sectionSize: 58,
  sectionCount: 60,
  names: 62,
}
const sectionBytes = 64
/** The section takes memory when the program runs. */
const allocated = 2n
const stringTable = 3
const loaded = 1

/** Whether a program is ELF-64 and little-endian, as on Linux on x64 and arm64. */
export function isElf(program: Buffer): boolean {
  return program.subarray(0, 6).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]))
}

/**
 * Returns an ELF program without what it does not need to run: symbols and debug sections. It is written here, because `strip` is not
 * on every machine, knows only some processors, and its versions write different bytes.
 *
 * @throws {Error} when the program is not laid out like those of Node: first what is loaded, then everything else.
 */
export function stripElf(program: Buffer): Buffer {
  const sections = readSections(program)
  const first = sections.findIndex(({ type, flags }, index) => index > 0 && type !== 0 && (flags & allocated) === 0n)
  if (first < 0) return program
  if (sections.slice(first).some(({ flags }) => (flags & allocated) !== 0n)) {
    throw new Error('A section that is loaded comes after one that is not.')
  }
  const end = endOfLoaded(program)
  // Other sections refer to sections by their number, so only sections at the end can be removed.
  const kept = sections.slice(0, first)
  const names = [...kept.map(({ name }) => name), '.shstrtab']
  const nameBytes = Buffer.from(names.map(name => `${name}\0`).join(''), 'latin1')
  const table = Buffer.alloc((kept.length + 1) * sectionBytes)
  let nameAt = 0
  for (const [index, { at, name }] of kept.entries()) {
    program.copy(table, index * sectionBytes, at, at + sectionBytes)
    table.writeUInt32LE(nameAt, index * sectionBytes)
    nameAt += name.length + 1
  }
  const last = kept.length * sectionBytes
  table.writeUInt32LE(nameAt, last)
  table.writeUInt32LE(stringTable, last + 4)
  table.writeBigUInt64LE(BigInt(end), last + 24)
  table.writeBigUInt64LE(BigInt(nameBytes.length), last + 32)
  table.writeBigUInt64LE(1n, last + 48)
  const padding = Buffer.alloc((8 - ((end + nameBytes.length) % 8)) % 8)
  const stripped = Buffer.concat([program.subarray(0, end), nameBytes, padding, table])
  stripped.writeBigUInt64LE(BigInt(end + nameBytes.length + padding.length), header.sections)
  stripped.writeUInt16LE(kept.length + 1, header.sectionCount)
  stripped.writeUInt16LE(kept.length, header.names)
  return stripped
}

interface Section {
  /** Offset of its entry in the table of sections. */
  at: number
  name: string
  type: number
  flags: bigint
}

function readSections(program: Buffer): Section[] {
  const table = Number(program.readBigUInt64LE(header.sections))
  const count = program.readUInt16LE(header.sectionCount)
  if (program.readUInt16LE(header.sectionSize) !== sectionBytes)
    throw new Error('The table of sections is not of ELF-64.')
  const names = table + program.readUInt16LE(header.names) * sectionBytes
  const namesAt = Number(program.readBigUInt64LE(names + 24))
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * sectionBytes
    const start = namesAt + program.readUInt32LE(at)
    const name = program.toString('latin1', start, program.indexOf(0, start))
    return { at, name, type: program.readUInt32LE(at + 4), flags: program.readBigUInt64LE(at + 8) }
  })
}

/** The offset after the last byte that is loaded. */
function endOfLoaded(program: Buffer): number {
  const table = Number(program.readBigUInt64LE(header.programs))
  const size = program.readUInt16LE(header.programSize)
  const count = program.readUInt16LE(header.programCount)
  let end = 0
  for (let at = table; at < table + count * size; at += size) {
    if (program.readUInt32LE(at) !== loaded) continue
    end = Math.max(end, Number(program.readBigUInt64LE(at + 8) + program.readBigUInt64LE(at + 32)))
  }
  return end
}
