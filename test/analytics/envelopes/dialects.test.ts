import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { envelopes } from '../../../server/analytics/envelopes/envelopes.ts'
import { toLogReading } from '../../../server/analytics/envelopes/log-reading.ts'
import type { LogSettings } from '../../../server/analytics/envelopes/log-settings.ts'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { akamai, cloudfrontJson, envoyJson, nginxJson } from '../../../server/analytics/formats/json-servers.ts'
import { knownPatterns } from '../../../server/analytics/formats/known-patterns.ts'
import { LogFormatError } from '../../../server/analytics/formats/log-format.ts'
import { readLog } from '../import/read-log.ts'
import { type DialectSample, dialectSamples, formatNames } from './dialects.ts'
import { type OracleRequest, toCombined } from './oracle.ts'

const folder = join(import.meta.dirname, 'dialects')
const combined = formats.find(({ name }) => name === 'combined')

function readSample(name: string): string {
  return readFileSync(join(folder, `${name}.log`), 'utf8')
}

/** Reads a sample with the reference reader. */
function askOracle({ name, oracle }: DialectSample) {
  const read = oracle()
  const results = readSample(name).trimEnd().split('\n').map(read)
  const requests = results.filter((result): result is OracleRequest => typeof result === 'object')
  const comments = results.filter(result => result === 'comment').length
  return { requests, comments, malformed: results.length - requests.length - comments }
}

function read(log: string, settings: LogSettings = {}) {
  const { clientField, ...reading } = toLogReading(settings)
  return readLog(log, { ...reading, clientField, now: Date.UTC(2026, 10, 20) })
}

function count({ tally, views }: ReturnType<typeof read>) {
  return { views, kinds: tally.views, rules: tally.rules, filtered: { ...tally.filtered, comment: 0 } }
}

test('every format and every envelope has a sample, and every sample a source', () => {
  // The layouts have the samples of the formats that are made of a pattern or of plain fields.
  const inLayouts = [...knownPatterns, akamai, cloudfrontJson, envoyJson, nginxJson].map(({ name }) => name)
  expect(new Set([...dialectSamples.map(({ format }) => format), ...inLayouts])).toEqual(new Set(formatNames))
  const used = dialectSamples.flatMap(({ envelope }) => envelope ?? [])
  expect(new Set(used)).toEqual(new Set(envelopes.map(({ name }) => name)))
  const files = readdirSync(folder).filter(file => file.endsWith('.log'))
  expect(files.sort()).toEqual(dialectSamples.map(({ name }) => `${name}.log`).sort())
  const sources = readFileSync(join(folder, 'SOURCES.md'), 'utf8')
  expect(files.filter(file => !sources.includes(`\`${file}\``))).toEqual([])
  expect(dialectSamples.length).toBeGreaterThanOrEqual(25)
})

test.each(dialectSamples)('$name is read as the reference reader reads it', sample => {
  const got = read(readSample(sample.name), sample.settings)
  const { requests, comments, malformed } = askOracle(sample)
  const want = readLog(requests.map(toCombined).join('\n'), { format: combined, now: Date.UTC(2026, 10, 20) })
  expect(want.tally.malformed['wrong-format']).toBe(0)
  expect(want.views.length + want.tally.filtered.status + want.tally.views.neither).toBeGreaterThan(0)
  expect(count(got)).toEqual(count(want))
  expect(got.tally.filtered.comment).toBe(comments)
  expect(got.tally.malformed['wrong-format']).toBe(malformed)
  expect(got.reader.format?.name).toBe(sample.format)
  expect(got.reader.envelope?.name).toBe(sample.envelope)
})

test.each(dialectSamples.filter(({ envelope }) => envelope !== undefined))(
  '$name: the envelope can be set, and without it nothing is counted',
  ({ name, envelope, settings = {} }) => {
    const log = readSample(name)
    expect(count(read(log, { ...settings, envelope: envelope as string }))).toEqual(count(read(log, settings)))
    const bare = read(log, { ...settings, envelope: 'none' })
    expect(bare.views).toEqual([])
    expect(bare.tally.malformed['wrong-format']).toBe(bare.tally.lines)
  },
)

/** The settings that read a sample as its own format. */
const explicit = dialectSamples.map(({ name, format, settings }) => ({
  name,
  settings: { ...(settings?.format || settings?.jsonFields ? {} : { format }), ...settings } as LogSettings,
}))

test.each(explicit)('a wrong file read with the settings of $name has no wrong count', ({ name, settings }) => {
  const wrong = dialectSamples.filter(sample => sample.name !== name)
  expect(wrong.length).toBeGreaterThan(20)
  for (const sample of wrong) {
    let got: ReturnType<typeof read>
    try {
      got = read(readSample(sample.name), settings)
    } catch (error) {
      expect(error).toBeInstanceOf(LogFormatError)
      continue
    }
    const { oracle, peerOracle = oracle } = sample
    const want = [...askOracle(sample).requests, ...askOracle({ ...sample, oracle: peerOracle }).requests]
    const right = readLog(want.map(toCombined).join('\n'), { format: combined, now: Date.UTC(2026, 10, 20) })
    const known = new Set(right.views.map(view => JSON.stringify({ ...view, mask: 0 })))
    const invented = got.views.filter(view => !known.has(JSON.stringify({ ...view, mask: 0 })))
    expect({ fed: sample.name, invented }).toEqual({ fed: sample.name, invented: [] })
  }
})

test('the documentation lists every format and every envelope', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../server/docs/pages/log-formats.md'), 'utf8')
  const names = [...formatNames, ...envelopes.map(({ name }) => name)]
  expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})
