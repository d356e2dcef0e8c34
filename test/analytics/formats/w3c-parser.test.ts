import { expect, test } from 'vitest'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { readLog } from '../import/read-log.ts'

const fields = 'date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)'
const line = '2025-11-20 10:11:12 203.0.113.9 GET /a 200 Mozilla/5.0+(X11;+Linux+x86_64)+Firefox/145.0'
const w3c = formats.find(({ name }) => name === 'w3c')

test('columns may change in the middle', () => {
  const other = '200 /b GET 203.0.113.10 10:11:13 2025-11-20 Mozilla/5.0+(X11)+Firefox/145.0'
  const header = '#Fields: sc-status cs-uri-stem cs-method c-ip time date cs(User-Agent)'
  const { tally, views } = readLog([`#Fields: ${fields}`, line, header, other, line].join('\r\n'))
  expect(views.map(({ path }) => path)).toEqual(['/a', '/b'])
  expect(tally.malformed).toMatchObject({ 'wrong-format': 1 })
})

test('a value in quotes may contain spaces', () => {
  const quoted = `2025-11-20 10:11:12 203.0.113.9 GET /a 200 "Mozilla/5.0 (X11; Linux x86_64) C++ Firefox/145.0"`
  const { views } = readLog([`#Fields: ${fields}`, quoted].join('\n'))
  expect(views).toHaveLength(1)
})

test.each([
  ['date', fields.replace('date ', '')],
  ['c-ip', fields.replace('c-ip ', '')],
  ['cs-uri-stem', fields.replace('cs-uri-stem ', '')],
  ['cs(User-Agent)', fields.replace(' cs(User-Agent)', '')],
])('without the column %s, nothing is read, and the column is named', (missing, columns) => {
  const { reader, tally } = readLog([`#Fields: ${columns}`, line.split(' ').slice(1).join(' '), line].join('\n'))
  expect(tally.malformed['wrong-format']).toBe(2)
  expect(reader.missingFields).toEqual([missing])
})

test('without a header, no line is read', () => {
  const { reader, tally } = readLog(line, { format: w3c })
  expect(tally.malformed['wrong-format']).toBe(1)
  expect(reader.missingFields).toEqual(['a header #Fields:'])
})

test('a client field must be a column', () => {
  const log = [`#Fields: ${fields}`, line].join('\n')
  expect(() => readLog(log, { clientField: 'X-Forwarded-For' })).toThrow(
    /--client-field X-Forwarded-For is not a column of this log\. Its columns are date time/,
  )
  const own = [`#Fields: ${fields} cs(X-Forwarded-For)`, `${line} 198.51.100.1`].join('\n')
  expect(readLog(own, { clientField: 'X-Forwarded-For' }).views).toHaveLength(1)
})

test('a JSON log names the fields that no line has', () => {
  const text = 'time=t,method=m,path=p,status=s,userAgent=u.agent,address=a,host=h'
  const format = createJsonFormat(parseJsonFields(text))
  const entry = { t: 1763633472, m: 'GET', p: '/a', s: 200, a: '203.0.113.9', h: 'x' }
  expect(readLog(JSON.stringify(entry), { format }).reader.missingFields).toEqual(['u.agent (userAgent)'])
  const lines = [entry, { ...entry, u: { agent: 'x' } }].map(each => JSON.stringify(each)).join('\n')
  expect(readLog(lines, { format }).reader.missingFields).toEqual([])
  expect(readLog('nonsense', { format }).reader.missingFields).toEqual([])
})

test.each([
  [999, {}, []],
  [1000, {}, ['ref (referrer)']],
  [1000, { ref: '-' }, []],
])('%d lines of JSON that all have %j lack %j', (count, extra, want) => {
  const format = createJsonFormat(parseJsonFields('time=t,method=m,path=p,status=s,userAgent=u,address=a,referrer=ref'))
  const text = JSON.stringify({ t: 1763633472, m: 'GET', p: '/a', s: 200, a: '203.0.113.9', u: 'x', ...extra })
  expect(readLog(`${text}\n`.repeat(count), { format }).reader.missingFields).toEqual(want)
})
