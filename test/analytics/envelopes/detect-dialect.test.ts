import { expect, test } from 'vitest'
import { type DialectSettings, nameDialect } from '../../../server/analytics/envelopes/detect-dialect.ts'
import { envelopes } from '../../../server/analytics/envelopes/envelopes.ts'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { LineExplainer } from '../../../server/analytics/import/explain-line.ts'
import { FormatWindow } from '../../../server/analytics/import/format-window.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { fixedKeys, oneProject, readLog, takeViews } from '../import/read-log.ts'

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const combined = formats.find(({ name }) => name === 'combined')
const access = (i: number, path = `/a${i}`) =>
  `203.0.113.${i} - - [20/Nov/2025:10:11:12 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "${agent}"`
const syslog = (text: string) => `Nov 20 10:11:12 web1 nginx: ${text}`
const cri = (tag: string, text: string, stream = 'stdout') => `2025-11-20T10:11:12.123456789Z ${stream} ${tag} ${text}`

function detect(lines: string[], settings: Partial<DialectSettings> = {}) {
  const window = new FormatWindow({ format: undefined, envelope: undefined, clientField: undefined, ...settings }, true)
  for (const line of lines) window.add(Buffer.from(line), 0, Buffer.byteLength(line))
  const found = window.detect().dialect
  return found && nameDialect(found.format.name, found.envelope?.name)
}

test.each([
  [[access(1)], 'combined'],
  [[syslog(access(1))], 'combined in syslog lines'],
  [[syslog('a message'), 'nonsense', syslog(access(1))], 'combined in syslog lines'],
  // One line of another program does not decide.
  [[access(1), ...[1, 2].map(i => syslog(access(i)))], 'combined in syslog lines'],
  [[syslog(access(1)), ...[1, 2].map(i => access(i))], 'combined'],
  [[cri('P', access(1).slice(0, 50)), cri('F', access(1).slice(50)), cri('F', access(2))], 'combined in cri lines'],
  [['#Software: x', '#Version: 1.0', '#Fields: date time c-ip'], 'w3c'],
  [['#Version: 1.0', '#Fields: date time x-edge-location c-ip'], 'cloudfront'],
  [['nonsense', syslog('a message'), '{"a":1}', '{"log":"x\\n","stream":"stdout"}', '{"MESSAGE":"x"}'], undefined],
  // The beginning is no host, no address and no envelope.
  [[`a b ${access(1)}`, `x, ${access(1)}`], undefined],
])('%j is %s', (lines, want) => {
  expect(detect(lines)).toBe(want)
})

test('settings limit what is detected', () => {
  const envelope = envelopes.find(({ name }) => name === 'syslog')
  expect(detect([syslog(access(1))], { format: combined })).toBe('combined in syslog lines')
  expect(detect([syslog(access(1))], { format: combined, envelope: 'none' })).toBe(undefined)
  expect(detect([access(1)], { format: combined, envelope })).toBe(undefined)
  expect(detect([access(1), syslog(access(1))], { envelope })).toBe('combined in syslog lines')
})

test('a log counts the same in pieces of any size', () => {
  const text = [syslog('a message'), ...[1, 2, 3].map(i => syslog(access(i)))].map(line => `${line}\n`).join('')
  const whole = readLog(text)
  expect(whole.views).toHaveLength(3)
  for (const size of [1, 7, 100]) {
    const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20) })
    for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)))
    reader.endFile()
    expect(takeViews(reader)).toEqual(whole.views)
  }
})

test('each log of an import has its own dialect', () => {
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now: Date.UTC(2026, 10, 20) })
  const logs = [syslog(access(1)), access(2), cri('F', access(3))]
  const titles = logs.map(log => {
    reader.startFile()
    reader.push(Buffer.from(`${log}\n`))
    reader.endFile()
    return reader.envelope?.name
  })
  expect(titles).toEqual(['syslog', undefined, 'cri'])
  expect(takeViews(reader)).toHaveLength(3)
})

const long = (length: number) => access(4, `/${'x'.repeat(length)}`)
const split = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []

test.each([
  ['two parts', [cri('P', access(1).slice(0, 50)), cri('F', access(1).slice(50))], 1, 0],
  ['many parts', split(access(1), 9).map((text, i, all) => cri(i < all.length - 1 ? 'P' : 'F', text)), 1, 0],
  [
    'parts between lines of the other stream',
    [cri('P', access(1).slice(0, 50)), cri('F', access(2), 'stderr'), cri('F', access(1).slice(50))],
    2,
    0,
  ],
  [
    'parts over 64 KiB',
    split(long(70_000), 16_384).map((text, i, all) => cri(i < all.length - 1 ? 'P' : 'F', text)),
    0,
    1,
  ],
  ['parts that begin before the file', [cri('F', access(1).slice(50)), cri('F', access(2))], 1, 1],
])('%s of a line in containerd are joined', (_, lines, views, malformed) => {
  const settled = [cri('F', access(9)), ...lines, cri('F', access(10))]
  const { tally } = readLog(settled.join('\n'))
  expect(tally.views.human).toBe(views + 2)
  expect(tally.malformed['wrong-format']).toBe(malformed)
  expect(tally.filtered.comment).toBe(lines.filter(line => line.includes(' P ')).length)
})

test('Docker splits a line after 16 KiB', () => {
  const docker = (log: string) => JSON.stringify({ log, stream: 'stdout', time: '2025-11-20T10:11:12Z' })
  const text = access(4, `/a?${'x'.repeat(20_000)}`)
  const lines = [docker(`${access(1)}\n`), docker(text.slice(0, 16_384)), docker(`${text.slice(16_384)}\n`)]
  expect(readLog(lines.join('\n')).tally.views.human).toBe(2)
  // The last line of a program may lack its line break.
  expect(readLog([docker(access(1)), docker(`${access(2)}\n`)].join('\n')).tally.views.human).toBe(2)
})

test('an explanation names the envelope', () => {
  const { envelope, steps } = new LineExplainer({ now: Date.UTC(2026, 10, 20) }).explain(syslog(access(1)))
  expect(envelope).toBe('syslog')
  expect(steps[0]).toEqual({ step: 'format', finding: 'combined in syslog (RFC 3164) lines' })
})
