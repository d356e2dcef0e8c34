import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseDay } from '../../../server/analytics/day.ts'
import { toLogReading } from '../../../server/analytics/envelopes/log-reading.ts'
import type { LogSettings } from '../../../server/analytics/envelopes/log-settings.ts'
import { LogFormatError } from '../../../server/analytics/formats/log-format.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { findSuspicions } from '../../../server/analytics/import/suspicions.ts'
import { RecordUnpacker } from '../../../server/analytics/import/unpack-records.ts'
import { asAi, asHuman } from '../../../server/analytics/view-batch.ts'
import { fixedKeys, oneProject, takeViews } from '../import/read-log.ts'
import { type Layout, readLayouts, writeLog, writeTable } from './layouts.ts'

const layouts = readLayouts()
const requests = [
  {
    address: '203.0.113.9',
    path: '/guide',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    mask: asHuman,
  },
  {
    address: '198.51.100.7',
    path: '/reference',
    userAgent: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    mask: asAi,
  },
]
/** At 23:30 UTC, so that an offset that is not read moves the views to the next day. */
const day = parseDay('2026-11-19')
function wantedViews({ text }: Layout) {
  return requests.map(({ address, path, userAgent, mask }) => {
    // IIS writes a space as `+`, so that the plus of `+https` is a space, too.
    const written = text.includes('@+@') ? userAgent.replaceAll('+', ' ') : userAgent
    const visitor = createHmac('sha256', Buffer.alloc(32, 1)).update(`${address}\0${written}`).digest('hex')
    return { project: 'prj_1', path, day, visitor: visitor.slice(0, 32), mask }
  })
}

function read(log: string, settings: LogSettings) {
  const now = Date.UTC(2026, 10, 20, 12)
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now, ...toLogReading(settings) })
  const records = new RecordUnpacker(bytes => reader.push(bytes))
  records.push(Buffer.from(log))
  expect(records.end()).toBeUndefined()
  reader.endFile()
  return { views: takeViews(reader), evidence: reader.evidence, tally: reader.tally }
}

test.each(layouts.filter(({ settings }) => settings))('$name is read', layout => {
  const { views, evidence, tally } = read(writeLog(layout, requests), layout.settings as LogSettings)
  expect(views).toEqual(wantedViews(layout))
  expect(tally.malformed['wrong-format']).toBe(0)
  expect(findSuspicions(evidence)).toEqual([])
})

test.each(layouts.filter(({ remedy }) => remedy))('$name is refused, and nothing is counted', layout => {
  const log = writeLog(layout, Array(20).fill(requests).flat())
  try {
    const { views, evidence } = read(log, {})
    expect(views).toEqual([])
    expect(findSuspicions(evidence)).not.toEqual([])
  } catch (error) {
    expect(error).toBeInstanceOf(LogFormatError)
  }
})

test('the documentation has the result of each layout', () => {
  expect(layouts.length).toBeGreaterThanOrEqual(60)
  const page = new URL('../../../server/docs/pages/log-formats.md', import.meta.url)
  expect(readFileSync(page, 'utf8')).toContain(writeTable(layouts))
})
