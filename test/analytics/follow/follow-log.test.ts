import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { importAccessLog } from '../../../server/analytics/import/import-log.ts'
import { waitFor } from '../../support/export-site.ts'
import {
  countVisitors,
  folder,
  follow,
  log,
  pacing,
  project,
  setUpFollow,
  store,
  warnings,
  write,
} from './follow-set-up.ts'
import { toAddress, toLine } from './numbered-lines.ts'

setUpFollow()

test('resumes where the last run ended, and counts each line once', async () => {
  write(0, 5)
  expect(await follow({ once: true })).toMatchObject({ tally: { lines: 5, newVisitorDays: 5 }, aheadBytes: 0 })
  expect((await follow({ once: true })).tally.lines).toBe(0)
  write(5, 7)
  renameSync(log, `${log}.1`)
  write(7, 12)
  expect(await follow({ once: true })).toMatchObject({ tally: { lines: 7, newVisitorDays: 7 }, aheadBytes: 0 })
  expect(await countVisitors()).toBe(12)
  expect(warnings).toEqual([])
})

test('stores the start position, so that no line is lost if the log rotates before the first line', async () => {
  expect((await follow({ once: true })).tally.lines).toBe(0)
  write(0, 3)
  renameSync(log, `${log}.1`)
  write(3, 4)
  expect((await follow({ once: true })).tally.lines).toBe(4)
  expect(warnings).toEqual([`${log} does not exist yet.`])
})

test('counts lines as they arrive until it is stopped, and writes everything read before it ends', async () => {
  const stopping = new AbortController()
  let lines = 0
  const running = follow({
    signal: stopping.signal,
    pacing: { ...pacing, flushMs: 60_000 },
    statusMs: 1,
    onStatus: ({ tally }) => {
      lines = tally.lines
    },
  })
  for (const [from, to] of [
    [0, 3],
    [3, 4],
  ] as const) {
    write(from, to)
    await waitFor(async () => (lines === to ? true : undefined))
  }
  expect(await countVisitors()).toBe(0)
  stopping.abort()
  expect((await running).tally).toMatchObject({ lines: 4, newVisitorDays: 4 })
  expect(await countVisitors()).toBe(4)
})

test('writes a few seconds after a line arrived, also when no other follows', async () => {
  const stopping = new AbortController()
  const running = follow({ signal: stopping.signal })
  write(0, 1)
  await waitFor(async () => ((await countVisitors()) === 1 ? true : undefined))
  stopping.abort()
  await running
})

test('waits for a missing file, and warns once', async () => {
  const stopping = new AbortController()
  const running = follow({ signal: stopping.signal })
  await waitFor(async () => (warnings.length > 0 ? true : undefined))
  await setTimeout(5 * pacing.pollMs)
  write(0, 2)
  await waitFor(async () => ((await countVisitors()) === 2 ? true : undefined))
  stopping.abort()
  await running
  expect(warnings).toEqual([`${log} does not exist yet.`])
})

test('keeps visits that cannot be written, warns, and retries', async () => {
  write(0, 3)
  let failures = 1
  const recordBatch: typeof store.visits.recordBatch = (projectId, batch, position) => {
    if (batch.length > 0 && failures-- > 0)
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    return store.visits.recordBatch(projectId, batch, position)
  }
  const { tally } = await follow({ once: true, visits: { ...store.visits, recordBatch } })
  expect(tally).toMatchObject({ lines: 3, newVisitorDays: 3 })
  expect(await countVisitors()).toBe(3)
  expect(warnings).toEqual([
    `The visits of ${log} cannot be written (database or disk is full). They are kept; retrying in 1 s.`,
  ])
})

test('reads the lines again after it was stopped while nothing could be written', async () => {
  write(0, 3)
  const stopping = new AbortController()
  const recordBatch: typeof store.visits.recordBatch = (projectId, batch, position) => {
    if (batch.length === 0) return store.visits.recordBatch(projectId, batch, position)
    stopping.abort()
    throw new Error('database or disk is full')
  }
  const stopped = follow({ signal: stopping.signal, visits: { ...store.visits, recordBatch } })
  await expect(stopped).rejects.toThrow(
    `The last visits of ${log} were not written (database or disk is full). The next run reads them again: nothing is lost.`,
  )
  expect((await follow({ once: true })).tally).toMatchObject({ lines: 3, newVisitorDays: 3 })
})

test('accepts dates of later months, because it updates its clock', async () => {
  let now = Date.UTC(2026, 10, 21, 12)
  write(0, 1)
  const stopping = new AbortController()
  const running = follow({ signal: stopping.signal, now: () => now })
  await waitFor(async () => ((await countVisitors()) === 1 ? true : undefined))
  now = Date.UTC(2027, 4, 1, 12)
  appendFileSync(log, toLine(1, '01/May/2027:10:00:00 +0000'))
  await waitFor(async () => ((await countVisitors()) === 2 ? true : undefined))
  stopping.abort()
  expect((await running).tally).toMatchObject({ lines: 2, malformed: { 'bad-date': 0 } })
})

test.each([
  ['back by an hour', -3_600_000],
  ['back by a day', -86_400_000],
  ['back by a year', -365 * 86_400_000],
  ['forward by a year', 365 * 86_400_000],
])('counts the lines that are written while the clock is set %s', async (_step, byMs) => {
  const startedAt = Date.UTC(2026, 10, 20, 10, 11, 12)
  let now = startedAt
  write(0, 1)
  const stopping = new AbortController()
  const running = follow({ signal: stopping.signal, now: () => now })
  await waitFor(async () => ((await countVisitors()) === 1 ? true : undefined))
  now = startedAt + byMs
  appendFileSync(log, toLine(1, '20/Nov/2026:10:11:13 +0000'))
  await waitFor(async () => ((await countVisitors()) === 2 ? true : undefined), 5_000)
  now = startedAt
  appendFileSync(log, toLine(2, '20/Nov/2026:10:11:14 +0000'))
  await waitFor(async () => ((await countVisitors()) === 3 ? true : undefined), 5_000)
  stopping.abort()
  expect((await running).tally).toMatchObject({ lines: 3, malformed: { 'bad-date': 0 } })
})

test('warns once that no line is in a known format', async () => {
  const stopping = new AbortController()
  const running = follow({ signal: stopping.signal })
  appendFileSync(log, 'nothing of the kind\n'.repeat(150))
  await waitFor(async () => (warnings.length > 0 ? true : undefined))
  appendFileSync(log, 'nothing of the kind\n'.repeat(50))
  await setTimeout(100)
  stopping.abort()
  expect((await running).tally).toMatchObject({ lines: 200, malformed: { 'wrong-format': 200 } })
  expect(warnings).toEqual([
    expect.stringMatching(/access\.log: none of \d+ lines is in a known format\. Set the format/),
  ])
})

test('lines in an unknown format stay unread for a run with the right format', async () => {
  const toJson = (i: number) =>
    `${JSON.stringify({ t: '2026-11-20T10:00:00Z', m: 'GET', p: '/a', s: 200, u: 'Mozilla/5.0 Firefox/131.0', a: toAddress(i) })}\n`
  for (let i = 0; i < 10; i++) appendFileSync(log, toJson(i))
  expect((await follow({ once: true })).tally).toMatchObject({ lines: 10, malformed: { 'wrong-format': 10 } })
  renameSync(log, `${log}.1`)
  for (let i = 10; i < 20; i++) appendFileSync(log, toJson(i))
  expect((await follow({ once: true })).tally).toMatchObject({ lines: 20, malformed: { 'wrong-format': 20 } })
  const format = createJsonFormat(parseJsonFields('time=t,method=m,path=p,status=s,userAgent=u,address=a'))
  expect((await follow({ once: true, format })).tally).toMatchObject({ lines: 20, newVisitorDays: 20 })
  expect((await follow({ once: true, format })).tally.lines).toBe(0)
  expect(warnings).toEqual([])
})

describe('a log whose header names its columns', () => {
  const header = '#Version: 1.0\n#Fields: c-ip time date cs-method sc-status cs-uri-stem cs(User-Agent)\n'
  const toColumns = (i: number) =>
    `${[toAddress(i), '10:11:12', '2026-11-20', 'GET', '200', '/a', 'Mozilla/5.0%2520Firefox/131.0'].join('\t')}\n`
  const cloudfront = formats.find(({ name }) => name === 'cloudfront')

  test.each([
    ['grows', {}, () => {}],
    ['grows, and the format is given', { format: cloudfront }, () => {}],
    ['was renamed', {}, () => renameSync(log, `${log}.1`)],
    [
      'was copied and emptied',
      {},
      () => {
        copyFileSync(log, `${log}.1`)
        truncateSync(log)
      },
    ],
    [
      'was compressed',
      {},
      () => {
        writeFileSync(`${log}.1.gz`, gzipSync(readFileSync(log)))
        rmSync(log)
      },
    ],
  ])('is read by its header if it %s', async (_, options, rotate) => {
    appendFileSync(log, header + toColumns(0) + toColumns(1))
    expect((await follow({ once: true, ...options })).tally).toMatchObject({ lines: 4, newVisitorDays: 2 })
    appendFileSync(log, toColumns(2))
    rotate()
    const { tally } = await follow({ once: true, ...options })
    expect(tally).toMatchObject({ lines: 1, newVisitorDays: 1, malformed: { 'wrong-format': 0 } })
  })

  test.each([1, 5000])('is read by its last header, %d lines after it', async count => {
    const toOther = (i: number) =>
      `${['GET', '200', toAddress(i), '/a', '10:11:12', '2026-11-20', 'Mozilla/5.0%2520Firefox/131.0'].join('\t')}\n`
    const other = '#Fields: cs-method sc-status c-ip cs-uri-stem time date cs(User-Agent)\n'
    const lines = Array.from({ length: count }, (_, i) => toOther(1 + i)).join('')
    appendFileSync(log, header + toColumns(0) + other + lines)
    expect((await follow({ once: true })).tally).toMatchObject({ newVisitorDays: count + 1 })
    appendFileSync(log, toOther(count + 1))
    expect((await follow({ once: true })).tally).toMatchObject({ lines: 1, newVisitorDays: 1 })
  })
})

test('an envelope is detected again when a log is resumed', async () => {
  const append = (from: number, to: number) => {
    for (let i = from; i < to; i++) appendFileSync(log, `Nov 20 10:11:12 web1 nginx: ${toLine(i)}`)
  }
  append(0, 5)
  expect((await follow({ once: true })).tally).toMatchObject({ lines: 5, newVisitorDays: 5 })
  appendFileSync(log, 'Nov 20 10:11:13 web1 sshd[7]: Accepted publickey for root\n')
  append(5, 6)
  renameSync(log, `${log}.1`)
  append(6, 8)
  const { tally } = await follow({ once: true })
  expect(tally).toMatchObject({ lines: 4, newVisitorDays: 3, malformed: { 'wrong-format': 1 } })
  expect(await countVisitors()).toBe(8)
})

test('counts agents, programs and referrals like an import of the same lines', async () => {
  const countLabels = () => Object.fromEntries(store.visits.countLabels('prj_1', {}))
  const ofAgent = (i: number, agent: string) => toLine(i).replace(/"Mozilla[^"]*"/, `"${agent}"`)
  appendFileSync(log, ofAgent(0, 'GPTBot/1.3') + ofAgent(1, 'GPTBot/1.3') + ofAgent(2, 'curl/8.5.0'))
  await follow({ once: true })
  appendFileSync(log, ofAgent(0, 'GPTBot/1.3') + toLine(3).replace('"-"', '"https://chatgpt.com/"'))
  await follow({ once: true })
  const want = {
    'agent:GPTBot': 2,
    'class:training': 2,
    'neither:http-library: curl': 1,
    'from:': 1,
    'from:chatgpt.com': 1,
    'from:chatgpt.com/page-3': 1,
  }
  expect(countLabels()).toEqual(want)
  await importAccessLog({ file: log, project, visits: store.visits })
  expect([countLabels(), await countVisitors()]).toEqual([want, 3])
})

test('stores the position under the name of a symbolic link', async () => {
  write(0, 2)
  symlinkSync(log, join(folder, 'link.log'))
  expect((await follow({ once: true, file: join(folder, 'link.log') })).tally.lines).toBe(2)
  expect((await follow({ once: true, file: join(folder, 'link.log') })).tally.lines).toBe(0)
})

test('neither the stored position nor the messages contain an address', async () => {
  write(0, 3)
  await follow({ once: true })
  renameSync(log, `${log}.9.moved`)
  await follow({ once: true })
  expect(warnings).toHaveLength(2)
  const kept = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  for (const text of [...kept, ...warnings]) expect(text).not.toContain(toAddress(1))
})
