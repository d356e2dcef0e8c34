import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toLogReading } from '../../../server/analytics/envelopes/log-reading.ts'
import type { LogSettings } from '../../../server/analytics/envelopes/log-settings.ts'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { LogFormatError } from '../../../server/analytics/formats/log-format.ts'
import { findSuspicions, isUnread } from '../../../server/analytics/import/suspicions.ts'
import { dialectSamples } from '../envelopes/dialects.ts'
import { readLog } from '../import/read-log.ts'

const samples = join(import.meta.dirname, 'samples')
const dialects = join(import.meta.dirname, '../envelopes/dialects')
const pino: LogSettings = {
  jsonFields:
    'time=time,method=req.method,path=req.url,status=res.statusCode,userAgent=req.headers.user-agent,address=req.remoteAddress',
}

interface Fed {
  name: string
  log: string
  /** The settings that read the log rightly. */
  settings: LogSettings
}

const logs: Fed[] = [
  ...readdirSync(samples).map(file => ({
    name: file,
    log: readFileSync(join(samples, file), 'utf8'),
    settings: file.startsWith('pino') ? pino : {},
  })),
  ...dialectSamples.map(({ name, settings = {} }) => ({
    name,
    log: readFileSync(join(dialects, `${name}.log`), 'utf8'),
    settings,
  })),
]
const wrong: LogSettings[] = [
  ...formats.map(({ name }) => ({ format: name })),
  ...dialectSamples.flatMap(({ settings }) => (settings?.format || settings?.jsonFields ? [settings] : [])),
  pino,
]

/** Reads a log, and says how an import ends. */
function read(log: string, settings: LogSettings) {
  try {
    const { reader, tally, views } = readLog(log, { ...toLogReading(settings), now: Date.UTC(2026, 10, 20) })
    const { evidence } = reader
    const warnings = findSuspicions(evidence).map(({ code }) => code)
    return {
      views: views.map(view => JSON.stringify(view)),
      malformed: tally.malformed['wrong-format'] + tally.malformed['bad-address'],
      isRefused: isUnread(evidence),
      warnings,
    }
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error
    return { views: [], malformed: 0, isRefused: true, warnings: [] }
  }
}

test('there are at least 20 logs and formats', () => {
  expect(logs.length).toBeGreaterThan(20)
  expect(wrong.length).toBeGreaterThan(20)
})

test.each(logs)('$name read in any other format counts as in its own, or is refused, or warned about', fed => {
  const { clientField, trustedProxies } = fed.settings
  const behind = { ...(clientField && { clientField }), ...(trustedProxies && { trustedProxies }) }
  const right = read(fed.log, fed.settings)
  const silent = wrong.filter(settings => {
    const { views, malformed, isRefused, warnings } = read(fed.log, { ...settings, ...behind })
    const isInvented = views.some(view => !right.views.includes(view))
    const isMissing = views.length < right.views.length && malformed <= right.malformed
    return (isInvented || isMissing) && !isRefused && warnings.length === 0
  })
  expect(silent).toEqual([])
})

test.each(logs)('$name in its own format is neither refused nor warned about', ({ log, settings }) => {
  const { isRefused, warnings } = read(log, settings)
  expect(isRefused).toBe(false)
  // Some samples have lines of several sources and years.
  expect(warnings.filter(code => code !== 'date-jump')).toEqual([])
})

/** Texts that other programs write before the lines of a combined log. */
const prefixes = [
  'Nov 20 10:11:12 web1 nginx: ',
  '<134>Nov 20 10:11:12 web1 nginx: ',
  '<134>1 2026-11-20T10:11:12.123456Z web1 nginx 1 - - ',
  '2026-11-20T10:11:12.123456789Z stdout F ',
  '2026-11-20T10:11:12.123456789Z ',
  'nginx-1  | ',
  '[pod/docs-5d/nginx] ',
  'web1.example.com ',
  'web1.example.com nginx: ',
  'I, [2026-11-20T10:11:12.123456 #1]  INFO -- : ',
]
test.each(prefixes)('lines after %j are counted rightly or refused, with the format detected and given', prefix => {
  const plain = readFileSync(join(samples, 'combined.txt'), 'utf8').trimEnd()
  const log = plain
    .split('\n')
    .map(line => prefix + line)
    .join('\n')
  const right = read(plain, {}).views
  for (const settings of [{}, { format: 'combined' }]) {
    const { views, isRefused } = read(log, settings)
    expect(isRefused ? right : views).toEqual(right)
  }
})
