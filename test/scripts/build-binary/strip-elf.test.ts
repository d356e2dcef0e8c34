import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isElf, stripElf } from '../../../scripts/build-binary/strip-elf.ts'

const sectionBytes = 64
const programBytes = 56

interface Section {
  name: string
  flags: bigint
  content: string
}

/** Makes an ELF-64 file with one segment, which holds all sections with flag 2. */
function makeElf(sections: readonly Section[]): Buffer {
  const start = 64 + programBytes
  const all = [...sections, { name: '.shstrtab', flags: 0n, content: '' }]
  const names = `\0${all.map(({ name }) => `${name}\0`).join('')}`
  const contents = all.map(({ name, content }) => Buffer.from(name === '.shstrtab' ? names : content, 'latin1'))
  const table = Buffer.alloc((all.length + 1) * sectionBytes)
  let at = start
  let loadedEnd = start
  for (const [index, { name, flags }] of all.entries()) {
    const entry = (index + 1) * sectionBytes
    table.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, entry)
    table.writeUInt32LE(name === '.shstrtab' ? 3 : 1, entry + 4)
    table.writeBigUInt64LE(flags, entry + 8)
    table.writeBigUInt64LE(BigInt(at), entry + 24)
    table.writeBigUInt64LE(BigInt(contents[index]?.length ?? 0), entry + 32)
    at += contents[index]?.length ?? 0
    if (flags === 2n) loadedEnd = at
  }
  const header = Buffer.alloc(start)
  header.write('\x7fELF\x02\x01', 'latin1')
  header.writeBigUInt64LE(64n, 32)
  header.writeBigUInt64LE(BigInt(at), 40)
  header.writeUInt16LE(programBytes, 54)
  header.writeUInt16LE(1, 56)
  header.writeUInt16LE(sectionBytes, 58)
  header.writeUInt16LE(all.length + 1, 60)
  header.writeUInt16LE(all.length, 62)
  header.writeUInt32LE(1, 64)
  header.writeBigUInt64LE(BigInt(loadedEnd), 64 + 32)
  return Buffer.concat([header, ...contents, table])
}

const loaded = { name: '.text', flags: 2n, content: 'program' }
const symbols = { name: '.symtab', flags: 0n, content: 'symbols'.repeat(1000) }

test('what is not loaded is removed, and what is loaded keeps its place', () => {
  const program = makeElf([loaded, symbols])
  const stripped = stripElf(program)
  expect(stripped.includes('symbols')).toBe(false)
  expect(stripped.indexOf('program')).toBe(program.indexOf('program'))
  expect(stripped.length).toBeLessThan(500)
  expect(stripElf(stripped)).toEqual(stripped)
})

test('a program whose sections are in another order is refused', () => {
  expect(() => stripElf(makeElf([symbols, loaded]))).toThrow('A section that is loaded comes after one that is not.')
})

test('other programs are not ELF', () => {
  expect([isElf(makeElf([loaded])), isElf(Buffer.from('MZ and more')), isElf(Buffer.from('x'))]).toEqual([
    true,
    false,
    false,
  ])
})

test('a real program still runs, and other tools read it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-elf-'))
  try {
    const program = readFileSync(process.execPath)
    const stripped = stripElf(program)
    expect(stripped.length).toBeLessThan(program.length)
    const file = join(folder, 'node')
    writeFileSync(file, stripped)
    chmodSync(file, 0o755)
    expect(execFileSync(file, ['-p', '6 * 7'], { encoding: 'utf8' })).toBe('42\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
