import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { isFolderOutput, replaceFolder, resolveOutputFolder } from '../../server/commands/output-folder.ts'
import { createRandomBytes } from '../support/random.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { makeZip } from '../unpack/make-archives.ts'

const parent = mkdtempSync(join(tmpdir(), 'quire-output-folder-'))
let folder = ''
let docs = ''
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'case-'))
  docs = join(folder, 'docs')
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))

/** Writes a folder as an export leaves it. */
function writeExport(at: string, text: string): void {
  mkdirSync(join(at, 'a'), { recursive: true })
  writeFileSync(join(at, 'export-report.json'), '{}')
  writeFileSync(join(at, 'a/index.html'), text)
}

function writeArchive(text: string | Buffer): string {
  const file = join(folder, 'bundle.zip')
  const names = ['a/index.html', 'b/new.html', 'export-report.json']
  writeFileSync(file, makeZip(names.map(name => ({ name, content: text }))))
  return file
}

const running = () => new AbortController().signal
const read = () => readFileSync(join(docs, 'a/index.html'), 'utf8')

test.each([
  ['docs/', true],
  ['/srv/docs/', true],
  ['docs', false],
  ['docs.zip', false],
])('%s is a folder: %s', (output, isFolder) => {
  expect(isFolderOutput(output)).toBe(isFolder)
})

test('a missing folder, an empty folder and an earlier export are replaced as a whole', async () => {
  for (const [prepare, text] of [
    [() => {}, 'one'],
    [() => rmSync(docs, { recursive: true }), 'two'],
    [() => writeFileSync(join(docs, 'a/gone.html'), ''), 'three'],
  ] as const) {
    prepare()
    expect(await resolveOutputFolder(`${docs}/`)).toBe(docs)
    await replaceFolder(writeArchive(text), docs, running())
    expect((readdirSync(docs, { recursive: true }) as string[]).sort()).toEqual(
      ['a', 'a/index.html', 'b', 'b/new.html', 'export-report.json'].sort(),
    )
    expect([read(), readdirSync(folder).sort()]).toEqual([text, ['bundle.zip', 'docs']])
  }
})

test('keeps the permissions of the folder, and the link that leads to it', async () => {
  const real = join(folder, 'real')
  writeExport(real, 'old')
  chmodSync(real, 0o750)
  symlinkSync('real', docs)
  expect(await resolveOutputFolder(`${docs}/`)).toBe(real)
  await replaceFolder(writeArchive('new'), real, running())
  expect([lstatSync(docs).isSymbolicLink(), read(), statSync(real).mode & 0o777]).toEqual([true, 'new', 0o750])
})

describe('refuses at once', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'a folder with other files',
      () => {
        mkdirSync(docs)
        writeFileSync(join(docs, 'mine.txt'), 'precious')
        return `${docs}/`
      },
      /is a folder with other files: it is neither empty nor an earlier export \(it has no export-report\.json\)\. Name/,
    ],
    [
      'a file',
      () => {
        writeFileSync(docs, '')
        return `${docs}/`
      },
      /is a file\. Remove it, or leave out the slash to write an archive\.$/,
    ],
    ['a missing parent', () => join(folder, 'no', 'docs/'), /cannot be written \(the folder .*no does not exist\)\.$/],
    ['a mount point', () => '/proc/', /is a folder that cannot be replaced, because a file system is mounted there/],
    ['the root', () => '/', /is a folder that cannot be replaced/],
  ])('%s', async (_, make, message) => {
    const output = make()
    const before = readdirSync(folder, { recursive: true })
    const error = await resolveOutputFolder(output).catch(error => error)
    expect([error.message, error.exitCode]).toEqual([expect.stringMatching(message), 2])
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
  })
})

describe('a run that was killed', () => {
  const aside = () => join(folder, '.docs.old')

  test('between the two renames: the next run puts the old folder back', async () => {
    writeExport(docs, 'old')
    renameSync(docs, aside())
    expect(await resolveOutputFolder(`${docs}/`)).toBe(docs)
    expect([read(), existsSync(aside())]).toEqual(['old', false])
  })

  test('after both renames: the next run removes the old folder', async () => {
    writeExport(aside(), 'old')
    writeExport(docs, 'new')
    await resolveOutputFolder(`${docs}/`)
    expect([read(), readdirSync(folder)]).toEqual(['new', ['docs']])
  })

  test('while it unpacked: the next run removes the half folder', async () => {
    writeExport(docs, 'old')
    const half = join(folder, '.docs.part-abc123')
    mkdirSync(join(half, 'site'), { recursive: true })
    writeFileSync(join(half, 'owner.lock'), '')
    await resolveOutputFolder(`${docs}/`)
    expect([read(), readdirSync(folder)]).toEqual(['old', ['docs']])
  })
})

test('the old folder stays when the run is stopped or the archive is damaged', async () => {
  writeExport(docs, 'old')
  const file = writeArchive('new')
  const stopped = new Error('stopped')
  await expect(replaceFolder(file, docs, AbortSignal.abort(stopped))).rejects.toBe(stopped)
  writeFileSync(file, readFileSync(file).subarray(0, -30))
  await expect(replaceFolder(file, docs, running())).rejects.toThrow(/damaged or not complete/)
  expect([read(), readdirSync(folder).sort()]).toEqual(['old', ['bundle.zip', 'docs']])
})

test('a full disk leaves the old folder as it was', async context => {
  const disk = mountSmallDisk(2)
  if (disk === null) return context.skip('only root on Linux can mount a small file system')
  try {
    const target = join(disk.folder, 'docs')
    writeExport(target, 'old')
    const file = writeArchive(createRandomBytes('page', 1_000_000))
    await expect(replaceFolder(file, target, running())).rejects.toThrow(
      `The disk of ${disk.folder} is full. Free some space. ${target} was not changed.`,
    )
    expect([readFileSync(join(target, 'a/index.html'), 'utf8'), readdirSync(disk.folder)]).toEqual(['old', ['docs']])
  } finally {
    disk.unmount()
  }
})
