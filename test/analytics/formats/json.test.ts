import { expect, test } from 'vitest'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { findField } from '../../../server/analytics/formats/json-line.ts'
import { emptyLogLine } from '../../../server/analytics/formats/log-format.ts'

const text = 'time=t, method=m ,path=p,status=s,userAgent=u,address=a'
const fields = { time: 't', method: 'm', path: 'p', status: 's', userAgent: 'u', address: 'a' }

test('reads the names of the fields', () => {
  expect(parseJsonFields(text)).toEqual(fields)
  expect(parseJsonFields(`${text},host=req.host`)).toEqual({ ...fields, host: 'req.host' })
  expect(parseJsonFields(`${text},referrer=r,accept=x`)).toEqual({ ...fields, referrer: 'r', accept: 'x' })
})

test.each([
  ['', /write NAME=PATH/],
  ['time', /--json-fields time: write NAME=PATH, as in path=req\.url/],
  [`${text},agent=x`, /--json-fields agent is unknown\. The names are time, method, path, .* host, referrer, accept\./],
  [`${text},time=x`, /--json-fields time is given twice/],
  ['time=t,path=p', /--json-fields lacks method, status, userAgent, address: add method=PATH/],
])('refuses %j', (given, message) => {
  expect(() => parseJsonFields(given)).toThrow(message)
})

const entry = { t: 1763633472, m: 'GET', p: '/a?b#c', s: 200, u: 'Mozilla/5.0 \u00e9', a: '203.0.113.9' }

function parse(given: unknown, format = createJsonFormat(fields)) {
  const bytes = Buffer.from(`x${typeof given === 'string' ? given : JSON.stringify(given)}x`)
  const line = emptyLogLine()
  const parsed = format.open({ clientField: 'xff' }).parse(bytes, 1, bytes.length - 1, line)
  if (parsed !== 'request') return parsed
  const field = (start: number, end: number) => line.bytes.toString('utf8', start, end)
  return {
    at: Number.isNaN(line.atMs) ? 'bad date' : new Date(line.atMs).toISOString(),
    address: field(line.addressStart, line.addressEnd),
    client: field(line.clientStart, line.clientEnd),
    target: line.isGet ? field(line.targetStart, line.targetEnd) : 'not a GET',
    status: line.status,
    userAgent: field(line.userAgentStart, line.userAgentEnd),
    host: field(line.hostStart, line.hostEnd),
  }
}

test('reads a line', () => {
  const want = { at: '2025-11-20T10:11:12.000Z', address: '203.0.113.9', client: '', target: '/a', status: 200 }
  expect(parse(entry)).toEqual({ ...want, userAgent: 'Mozilla/5.0 \u00e9', host: '' })
})

test.each([
  ['a status in digits', { s: '304' }, { status: 304 }],
  ['an address with a port', { a: '203.0.113.9:1234' }, { address: '203.0.113.9:1234' }],
  ['IPv6 with a port', { a: '[2001:db8::1]:1234' }, { address: '[2001:db8::1]:1234' }],
  ['IPv6', { a: '2001:db8::1' }, { address: '2001:db8::1' }],
  ['no user agent', { u: undefined }, { userAgent: '' }],
  ['a user agent that is not a string', { u: 5 }, { userAgent: '' }],
  ['values in arrays', { u: ['A', 'B'], p: ['/x'] }, { userAgent: 'A', target: '/x' }],
  ['a client list', { xff: '198.51.100.1, 10.0.0.1' }, { client: '198.51.100.1, 10.0.0.1' }],
  ['another method', { m: 'POST' }, { target: 'not a GET' }],
  ['lower case', { m: 'get' }, { target: 'not a GET' }],
  ['a time in an unknown form', { t: 'yesterday' }, { at: 'bad date' }],
  ['no time', { t: undefined }, { at: 'bad date' }],
])('reads a line with %s', (_, given, want) => {
  expect(parse({ ...entry, ...given })).toMatchObject(want)
})

test.each([
  ['no method', { ...entry, m: undefined }],
  ['no path', { ...entry, p: '' }],
  ['no address', { ...entry, a: null }],
  ['no status', { ...entry, s: undefined }],
  ['a status that is not a number', { ...entry, s: 'OK' }],
  ['half an object', '{"t":1,'],
  ['an array', '[1,2]'],
  ['null', 'null'],
  ['a number', '5'],
  ['nothing', ''],
])('refuses %s', (_, given) => {
  expect(parse(given)).toBe('malformed')
})

test('a line of invalid UTF-8 takes three times its bytes, and fits', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"t":1763633472,"m":"GET","p":"/a","s":200,"a":"203.0.113.9","u":"'),
    Buffer.alloc(65_000, 0xff),
    Buffer.from('"}'),
  ])
  const line = emptyLogLine()
  expect(createJsonFormat(fields).open({}).parse(bytes, 0, bytes.length, line)).toBe('request')
  expect(line.userAgentEnd - line.userAgentStart).toBe(195_000)
})

test.each([
  ['a', { a: 1 }, 1],
  ['a.b', { a: { b: 2 } }, 2],
  ['a.b', { 'a.b': 3, a: { b: 2 } }, 3],
  ['a.b.c', { 'a.b': { c: 4 } }, 4],
  ['a.b.c', { a: { 'b.c': 5 } }, 5],
  ['a.b', { a: 1 }, undefined],
  ['a.b', { a: null }, undefined],
  ['toString', {}, undefined],
  ['__proto__.x', {}, undefined],
])('the path %s in %j leads to %s', (path, given, want) => {
  expect(findField(given, path)).toBe(want)
})

test.each([
  ['Mozilla/5.0%20(X11;%20Linux%20x86_64)%20Firefox/145.0', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0'],
  ['a%20b c', 'a%20b c'],
  ['a%20%E9', 'a%20%E9'],
])('the user agent %j is read as %j', (written, want) => {
  expect(parse({ ...entry, u: written })).toMatchObject({ userAgent: want })
})
