import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeSmallFiles } from '../../../scripts/bench/archive/corpora.ts'
import { findShare, toSpread } from '../../../scripts/bench/archive/report.ts'
import { writers } from '../../../scripts/bench/archive/writers.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-bench-archive-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function toBytes(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('all writers give the same bytes', async () => {
  const contents: [string, string | Buffer][] = [
    ['a/ü.html', '<p>ü'],
    ['b.txt', 'b'.repeat(100_000)],
    ['empty', ''],
    ...Array.from({ length: 20 }, (_, index): [string, string] => [`c-${10 + index}`, `${index}`]),
    // Larger than one read.
    ['large.bin', Buffer.alloc(5 * 1024 ** 2, 'large ')],
  ]
  mkdirSync(join(folder, 'a'))
  for (const [path, content] of contents) writeFileSync(join(folder, path), content)
  const paths = contents.map(([path]) => path)
  const archives = await Promise.all(writers.map(writer => toBytes(writer.write(folder, paths))))
  expect(archives.map(archive => archive.equals(archives[0] ?? Buffer.alloc(0)))).toEqual(writers.map(() => true))
  expect(archives[0]?.length).toBeGreaterThan(1000)
})

test('a missing file fails every writer', async () => {
  writeFileSync(join(folder, 'a'), 'a')
  for (const { name, write } of writers)
    await expect(toBytes(write(folder, ['a', 'missing'])), name).rejects.toMatchObject({ code: 'ENOENT' })
})

test('the small files are the same in each run', async () => {
  const from = join(folder, 'from')
  mkdirSync(from)
  writeFileSync(join(from, 'a.txt'), Array.from({ length: 20_000 }, (_, index) => index).join(' '))
  const folders = [join(folder, 'one'), join(folder, 'two')]
  for (const into of folders) await writeSmallFiles(from, into)
  const [one, two] = folders.map(into => readdirSync(into).map(name => readFileSync(join(into, name), 'latin1')))
  expect(one).toEqual(two)
  expect(one).toHaveLength(739)
  const sizes = one?.map(content => content.length) ?? []
  expect([Math.min(...sizes) >= 500, Math.max(...sizes) <= 16_000]).toEqual([true, true])
})

test('the share is computed per round', () => {
  const share = findShare([{ ms: 20 }, { ms: 300 }, { ms: 10 }], [{ ms: 10 }, { ms: 100 }, { ms: 10 }], ({ ms }) => ms)
  expect(share).toBe(2)
  expect(toSpread([3.4, 1, 2])).toBe('2 (1-3)')
})
