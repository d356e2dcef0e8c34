import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { archiveFiles } from '../../../server/export/archive/archive.ts'
import type { BundleFormat } from '../../../server/export/model/options.ts'
import { readArchive } from '../read-archive.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-archive-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const longPath = `deep/${'x'.repeat(120)}/${'y'.repeat(90)}.txt`

function fill(name: string, mtime: number): string {
  const root = join(folder, name)
  const large = Buffer.alloc(5 * 1024 * 1024, 'large ')
  const contents: [string, string | Buffer][] = [
    ['b.txt', 'b'],
    ['a/ü.html', '<p>ü'],
    ['empty', ''],
    [longPath, 'long'],
    ['large.bin', large],
  ]
  for (const [path, content] of contents) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content, { mode: mtime % 2 === 0 ? 0o600 : 0o755 })
    utimesSync(join(root, path), mtime, mtime)
  }
  return root
}

const paths = ['empty', 'b.txt', longPath, 'a/ü.html', 'large.bin']
const signal = new AbortController().signal

test.each<BundleFormat>(['zip', 'tar.gz'])(
  '%s: the same files give the same bytes, whatever their dates, modes and order',
  async format => {
    const one = join(folder, 'one')
    const two = join(folder, 'two')
    const first = await archiveFiles({ folder: fill('x', 1_000_000_000), paths, format, outFile: one, signal })
    const second = await archiveFiles({
      folder: fill('y', 1_700_000_001),
      paths: [...paths].reverse(),
      format,
      outFile: two,
      signal,
    })
    expect(second).toEqual(first)
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true)
    expect(first.sha256).toBe(createHash('sha256').update(readFileSync(one)).digest('hex'))
    expect(first.sizeBytes).toBe(readFileSync(one).length)

    const entries = readArchive(one)
    expect(entries.map(({ name }) => name)).toEqual([...paths].sort())
    expect(entries.map(({ mode }) => mode & 0o777)).toEqual(paths.map(() => 0o644))
    expect(entries.find(({ name }) => name === longPath)?.content.toString()).toBe('long')
    expect(entries.find(({ name }) => name === 'large.bin')?.content.length).toBe(5 * 1024 * 1024)
  },
)

test('a failure leaves no files', async () => {
  const outFile = join(folder, 'out.zip')
  const root = fill('x', 1_000_000_000)
  const work = archiveFiles({ folder: root, paths: [...paths, 'z-missing'], format: 'zip', outFile, signal })
  await expect(work).rejects.toMatchObject({ code: 'ENOENT' })
  expect(readdirSync(folder)).toEqual(['x'])
})

test('an abort leaves no files', async () => {
  const controller = new AbortController()
  const root = fill('x', 1_000_000_000)
  const outFile = join(folder, 'out.zip')
  const work = archiveFiles({ folder: root, paths, format: 'zip', outFile, signal: controller.signal })
  controller.abort(new Error('stopped'))
  await expect(work).rejects.toThrow()
  expect(readdirSync(folder)).toEqual(['x'])
})

test('if two writers write the same file, one fails and the file is complete', async () => {
  const root = fill('x', 1_000_000_000)
  const outFile = join(folder, 'out.zip')
  const write = () => archiveFiles({ folder: root, paths, format: 'zip', outFile, signal })
  const outcomes = await Promise.allSettled([write(), write(), write()])
  const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.message] : []))
  expect(reasons.length).toBeGreaterThan(0)
  for (const reason of reasons) expect(reason).toMatch(/^Another export is writing to out\.zip\.|EEXIST/)
  if (reasons.length < 3) expect(readArchive(outFile)).toHaveLength(paths.length)
  expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([])
})
