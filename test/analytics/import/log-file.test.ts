import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test, vi } from 'vitest'
import { LogFileError, openLogFile } from '../../../server/analytics/import/log-file.ts'
import { findInPath } from '../../../server/base/executables.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-log-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** About 700 kB that compress to a third, so that the compressed and the plain data have several chunks. */
const text = Array.from({ length: 30_000 }, (_, i) => `${i} ${Math.sin(i)}\n`).join('')
const gz = gzipSync(text)
const zst = zstdCompressSync(text)

async function read(bytes: Buffer | string): Promise<{ text: string; error?: string }> {
  const file = join(folder, 'access.log')
  writeFileSync(file, bytes)
  const parts: Buffer[] = []
  const log = await openLogFile(file)
  expect(log.sizeBytes).toBe(bytes.length)
  try {
    for await (const chunk of log.chunks) parts.push(Buffer.from(chunk))
  } catch (error) {
    expect(error).toBeInstanceOf(LogFileError)
    return { text: Buffer.concat(parts).toString(), error: (error as Error).message }
  }
  expect(log.readBytes()).toBe(bytes.length)
  return { text: Buffer.concat(parts).toString() }
}

test.each([
  ['plain text', text, text],
  ['nothing', '', ''],
  ['one byte', 'a', 'a'],
  ['gzip', gz, text],
  ['two gzip members in a row', Buffer.concat([gz, gzipSync('more')]), `${text}more`],
  ['zstd', zst, text],
  ['two zstd frames in a row', Buffer.concat([zst, zstdCompressSync('more')]), `${text}more`],
  ['zstd padded with zeros', Buffer.concat([zst, Buffer.alloc(512)]), text],
  ['gzip padded with zeros', Buffer.concat([gz, Buffer.alloc(512)]), text],
])('reads %s', async (_, bytes, want) => {
  expect(await read(bytes)).toEqual({ text: want })
})

test.each([
  2,
  10,
  100,
  Math.floor(gz.length / 3),
  Math.floor(gz.length / 2),
  gz.length - 9,
  gz.length - 8,
  gz.length - 1,
])('returns all data in the first %d bytes of a gzip file, then reports that it is truncated', async bytes => {
  const { text: got, error } = await read(gz.subarray(0, bytes))
  expect(error).toMatch(/access\.log is truncated/)
  expect(text.startsWith(got)).toBe(true)
  // The decoder returns all data that it has decoded; only the last symbols may be missing.
  expect(got.length).toBeGreaterThanOrEqual(Math.floor((Math.max(bytes - 2000, 0) / gz.length) * text.length * 0.9))
  if (bytes >= gz.length - 8) expect(got).toBe(text)
})

test.each([3, 4, 10, 1000, Math.floor(zst.length / 2), zst.length - 1])(
  'returns the complete blocks in the first %d bytes of a zstd file, then reports that it is truncated',
  async bytes => {
    const { text: got, error } = await read(zst.subarray(0, bytes))
    if (bytes < 4) expect(got).toBe(zst.toString('utf8', 0, bytes))
    else expect(error).toMatch(/access\.log is truncated/)
    // A block has 128 KiB of text, and can only be decoded as a whole.
    if (bytes >= 4) expect(text.startsWith(got)).toBe(true)
    if (bytes > zst.length / 3) expect(got.length).toBeGreaterThan((bytes / zst.length) * text.length - 2 * 131_072)
  },
)

/** Decodes all data before the damage. */
function readAllBefore(damaged: Buffer, at: number): string {
  return gunzipSync(damaged.subarray(0, at), { finishFlush: constants.Z_SYNC_FLUSH }).toString()
}

test.each([100, Math.floor(gz.length / 2), gz.length - 5000])(
  'returns all data before damage at byte %d of a gzip file, then reports the damage',
  async at => {
    const damaged = Buffer.from(gz)
    damaged.fill(0xff, at, at + 50)
    const { text: got, error } = await read(damaged)
    expect(error).toMatch(/access\.log is damaged: its compressed data cannot be read \(Z_DATA_ERROR\)\./)
    const before = readAllBefore(gz, at)
    expect(got.slice(0, before.length)).toBe(before)
  },
)

test.each([
  ['gzip', gz],
  ['zstd', zst],
])('reports trailing data after %s', async (_, bytes) => {
  const { text: got, error } = await read(Buffer.concat([bytes, Buffer.from('nonsense'), bytes]))
  expect(got).toBe(text)
  expect(error).toMatch(/access\.log is damaged/)
})

test('returns the data before damage in a zstd file, then reports the damage', async () => {
  const damaged = Buffer.from(zst)
  const middle = Math.floor(zst.length / 2)
  damaged.fill(0x55, middle, middle + 50)
  const { text: got, error } = await read(damaged)
  expect(error).toMatch(/access\.log is damaged: its compressed data cannot be read \(ZSTD_/)
  expect(text.startsWith(got)).toBe(true)
  expect(got.length).toBeGreaterThan(text.length / 2 - 2 * 131_072)
})

test('refuses a missing file and a folder with a clear message', async () => {
  await expect(openLogFile(join(folder, 'none.log'))).rejects.toThrow(/none\.log does not exist/)
  await expect(openLogFile(folder)).rejects.toThrow(/is a folder\. Give the log files in it/)
})

test('refuses a socket with a clear message', async () => {
  const path = join(folder, 'socket')
  const server = createServer()
  await new Promise<void>(done => server.listen(path, done))
  await expect(openLogFile(path)).rejects.toThrow(LogFileError)
  await expect(openLogFile(path)).rejects.toThrow(/socket is not a file/)
  await new Promise(done => server.close(done))
})

const programs = ['xz', 'bzip2']

test.each(programs)('reads what %s compressed, if it is installed', async program => {
  const { stdout, error } = spawnSync(program, ['-c'], { input: text })
  expect(error === undefined).toBe(findInPath(program) !== undefined)
  if (error) return
  expect(await read(stdout)).toEqual({ text })
  expect(await read(Buffer.concat([stdout, stdout]))).toEqual({ text: text + text })
  const { text: got, error: damage } = await read(stdout.subarray(0, stdout.length / 2))
  expect(damage).toMatch(/access\.log is truncated or damaged \(.+\)\./)
  expect(text.startsWith(got)).toBe(true)
})

test.each([
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
  ['bzip2', Buffer.from('BZh91AY&SY')],
])('without %s, says what to install', async (program, bytes) => {
  vi.stubEnv('PATH', folder)
  await expect(read(bytes)).rejects.toThrow(
    new RegExp(
      `access\\.log is compressed by ${program}\\. Install the program ${program}, or pipe the log: ${program} -dc .*access\\.log \\| npx`,
    ),
  )
  vi.unstubAllEnvs()
})
