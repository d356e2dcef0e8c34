import { spawnSync } from 'node:child_process'
import { createWriteStream, linkSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveFiles, zipFiles } from '../../../server/export/archive/archive.ts'

const largeBytes = 4400 * 1024 ** 2
const many = 66_000
let folder = ''
let paths: string[] = []

/** Creates a sparse file larger than 4 GB, and more than 65,535 small files. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-large-'))
  mkdirSync(join(folder, 'files'))
  writeFileSync(join(folder, 'files', 'b-0'), 'small')
  // File systems limit the number of links to a file.
  for (let index = 1; index < many; index += 1) {
    const from = `b-${index - (index % 10_000)}`
    if (from === `b-${index}`) writeFileSync(join(folder, 'files', from), 'small')
    else linkSync(join(folder, 'files', from), join(folder, 'files', `b-${index}`))
  }
  writeFileSync(join(folder, 'files', 'a-large'), '')
  truncateSync(join(folder, 'files', 'a-large'), largeBytes)
  paths = ['a-large', ...Array.from({ length: many }, (_, index) => `b-${index}`)]
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Check a zip with another program, unless it is not installed. Each reads gigabytes, so each test uses one. */
const readers: Record<'python' | 'unzip', (file: string) => boolean> = {
  /** Reads a zip with all files. */
  python(file) {
    const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    infos = archive.infolist()
    print(archive.testzip(), len(infos), infos[0].filename, infos[0].file_size, archive.read('b-65999').decode())`
    const { error, stdout, stderr } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' })
    if (!error) expect([stdout.trim(), stderr]).toEqual([`None ${many + 1} a-large ${largeBytes} small`, ''])
    return !error
  },
  unzip(file) {
    const { error, status, stdout, stderr } = spawnSync('unzip', ['-tqq', file], { encoding: 'utf8' })
    if (!error) expect([status, stdout, stderr]).toEqual([0, '', ''])
    return !error
  },
}

test('unzip can read a compressed file of more than 4 GB', async context => {
  const outFile = join(folder, 'deflated.zip')
  const { signal } = new AbortController()
  await archiveFiles({ folder: join(folder, 'files'), paths: ['a-large', 'b-0'], format: 'zip', outFile, signal })
  if (!readers.unzip(outFile)) context.skip('needs unzip; install it with: apt-get install unzip')
})

test('other programs can read a zip that is larger than 4 GB and has more than 65,535 files', async () => {
  const outFile = join(folder, 'large.zip')
  // Compressed, the sparse file would be small.
  await pipeline(zipFiles(join(folder, 'files'), paths.sort(), 0), createWriteStream(outFile))
  expect(readers.python(outFile) || readers.unzip(outFile), 'python3 or unzip').toBe(true)
})
