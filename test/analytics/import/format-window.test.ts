import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { fixedKeys, oneProject, readLog, takeViews } from './read-log.ts'

const sample = (name: string) =>
  readFileSync(join(import.meta.dirname, '../formats/samples', name), 'utf8')
    .split('\n')
    .slice(0, 6)
const [combined, caddy, cloudfront] = [sample('combined.txt'), sample('caddy.jsonl'), sample('cloudfront.tsv')]

function openReader(): LogReader {
  return new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20, 12) })
}

test('one line of another format does not decide about the log', () => {
  for (const at of [0, 1, 3, 6]) {
    const lines = caddy.toSpliced(at, 0, combined[0] ?? '')
    const { reader, tally, views } = readLog(lines.join('\n'))
    expect(reader.format?.name).toBe('caddy')
    expect(tally.malformed['wrong-format']).toBe(1)
    expect(views).toEqual(readLog(caddy.join('\n')).views)
  }
})

test('one line of another format before a thousand does not decide, in chunks of any size', () => {
  const log = Buffer.from([combined[0], ...Array.from({ length: 200 }, () => caddy).flat()].join('\n'))
  for (const chunkBytes of [97, 4096, log.length]) {
    const reader = openReader()
    for (let at = 0; at < log.length; at += chunkBytes) reader.push(log.subarray(at, at + chunkBytes))
    reader.endFile()
    expect(reader.format?.name).toBe('caddy')
    expect(reader.tally).toMatchObject({ lines: 1201, malformed: { 'wrong-format': 1 } })
  }
})

test('after many lines in no format, the format is still detected', () => {
  const startup = Array.from({ length: 250 }, (_, i) => `starting worker ${i}`)
  const { reader, tally } = readLog([...startup, ...combined].join('\n'))
  expect(reader.format?.name).toBe('combined')
  expect(tally).toMatchObject({ lines: 256, malformed: { 'wrong-format': 250 }, views: { human: 3, ai: 1 } })
})

test('lines are counted when batches are taken, and the format can still change', () => {
  const reader = openReader()
  reader.push(Buffer.from(`${combined[0]}\n`))
  expect(takeViews(reader)).toHaveLength(1)
  expect(reader.tally.lines).toBe(1)
  reader.push(Buffer.from(`${caddy.join('\n')}\n`))
  expect(takeViews(reader)).toHaveLength(4)
  expect(reader.format?.name).toBe('caddy')
  expect(reader.tally).toMatchObject({ lines: 7, malformed: { 'wrong-format': 0 } })
})

test('a header that is read first serves the lines that come after a batch was taken', () => {
  const reader = openReader()
  const [version, fields = '', ...rest] = cloudfront
  const names = fields.slice('#Fields: '.length).split(' ').reverse().join(' ')
  reader.push(Buffer.from(`${version}\n#Fields: ${names}\n`))
  expect(takeViews(reader)).toEqual([])
  for (const line of rest) {
    reader.push(Buffer.from(`${line.split('\t').reverse().join('\t')}\n`))
    reader.takeBatches()
  }
  expect(reader.tally).toMatchObject({ lines: 6, filtered: { comment: 2 }, malformed: { 'wrong-format': 0 } })
})

test('the header of a log that is resumed decides, and is not counted', () => {
  const [version, fields = '', ...rest] = cloudfront
  const names = fields.slice('#Fields: '.length).split(' ').reverse().join(' ')
  const reader = openReader()
  reader.startFile(Buffer.from(`${version}\n#Fields: ${names}\n`))
  reader.push(Buffer.from(`${rest.map(line => line.split('\t').reverse().join('\t')).join('\n')}\n`))
  reader.endFile()
  expect(reader.format?.name).toBe('cloudfront')
  expect(reader.tally).toMatchObject({ lines: 4, filtered: { comment: 0 }, malformed: { 'wrong-format': 0 } })
})

test('the evidence says what the first lines are in', () => {
  const log = [...caddy, ...caddy, ...combined, 'garbage', '']
  expect(readLog(log.join('\n')).reader.evidence.detection).toEqual({
    format: 'caddy',
    lines: 19,
    readLines: 12,
    other: { name: 'combined', lines: 6 },
  })
  expect(readLog('garbage\n').reader.evidence.detection).toEqual({
    format: undefined,
    lines: 1,
    readLines: 0,
    other: undefined,
  })
})
