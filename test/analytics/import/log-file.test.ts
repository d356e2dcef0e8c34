import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { LogFileError, openLogFile } from '../../../server/analytics/import/log-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-log-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Some 700 kB that compress to a third, so that both sides take several chunks. */
const text = Array.from({ length: 30_000 }, (_, i) => `${i} ${Math.sin(i)}\n`).join('')
const gz = gzipSync(text)

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
])('gives all that is in the first %d bytes of a gzip file, then says that it was cut off', async bytes => {
  const { text: got, error } = await read(gz.subarray(0, bytes))
  expect(error).toMatch(/access\.log ends in the middle of its compressed data/)
  expect(text.startsWith(got)).toBe(true)
  // Deflate hands out what it has decoded; only the last symbols may be missing.
  expect(got.length).toBeGreaterThanOrEqual(Math.floor((Math.max(bytes - 2000, 0) / gz.length) * text.length * 0.9))
  if (bytes >= gz.length - 8) expect(got).toBe(text)
})

test('says that damaged gzip data is damaged', async () => {
  const damaged = Buffer.from(gz)
  const middle = Math.floor(gz.length / 2)
  damaged.fill(0x55, middle, middle + 50)
  const { error } = await read(damaged)
  expect(error).toMatch(/access\.log is damaged/)
})

test('refuses a missing file and a folder with a sentence', async () => {
  await expect(openLogFile(join(folder, 'none.log'))).rejects.toThrow(/none\.log does not exist/)
  await expect(openLogFile(folder)).rejects.toThrow(/is a folder\. Give the log files in it/)
})

test('refuses a socket with a sentence', async () => {
  const path = join(folder, 'socket')
  const server = createServer()
  await new Promise<void>(done => server.listen(path, done))
  await expect(openLogFile(path)).rejects.toThrow(LogFileError)
  await expect(openLogFile(path)).rejects.toThrow(/socket is no file/)
  await new Promise(done => server.close(done))
})
