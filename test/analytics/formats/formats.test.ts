import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDay } from '../../../server/analytics/day.ts'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { readLog } from '../import/read-log.ts'

/** Each sample has the same six requests in its format, then a line that is not a request. */
function readSample(file: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'samples', file))
}

const day = parseDay('2025-11-20')
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const gptBot = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const quoted =
  'Mozilla/5.0 (Macintosh; "Intel" Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15'

function visitor(address: string, userAgent: string): string {
  return createHmac('sha256', Buffer.alloc(32, 1)).update(`${address}\0${userAgent}`).digest('hex').slice(0, 32)
}

const wanted = [
  { project: 'prj_1', path: '/guide', day, visitor: visitor('203.0.113.9', firefox), mask: 1 },
  { project: 'prj_1', path: '/api', day, visitor: visitor('2001:db8::', chrome), mask: 1 },
  { project: 'prj_1', path: '/guide', day, visitor: visitor('198.51.100.7', gptBot), mask: 2 },
  { project: 'prj_1', path: '/a%20b/caf%C3%A9', day, visitor: visitor('10.0.0.1', quoted), mask: 1 },
]
const behindProxy = wanted.map(view =>
  view.path === '/a%20b/caf%C3%A9' ? { ...view, visitor: visitor('203.0.113.77', quoted) } : view,
)

/** What is counted without a client field: the peer of the last view is private, so it is a proxy. */
function wantedOf(file: string) {
  return file === 'traefik.txt' ? wanted : behindProxy
}

const jsonFields =
  'time=time,method=req.method,path=req.url,status=res.statusCode,userAgent=req.headers.user-agent,address=req.remoteAddress,host=req.headers.host'
const json = createJsonFormat(parseJsonFields(jsonFields))

/** File, format, client field, comments. */
const samples = [
  ['combined.txt', 'combined', 'last', 0],
  ['vhost-combined.txt', 'vhost_combined', '1', 0],
  ['caddy.jsonl', 'caddy', 'x-forwarded-for', 0],
  ['traefik.jsonl', 'traefik-json', 'X-Forwarded-For', 0],
  ['cloudfront.tsv', 'cloudfront', 'x-forwarded-for', 2],
  ['pino.jsonl', 'json', 'req.headers.x-forwarded-for', 0],
  ['traefik.txt', 'traefik', undefined, 0],
] as const

test.each(samples)('%s is detected as %s, and read', (file, name, _, comments) => {
  const { reader, tally, views } = readLog(readSample(file), name === 'json' ? { format: json } : {})
  expect(reader.format?.name).toBe(name)
  expect(views).toEqual(wantedOf(file))
  expect(tally).toMatchObject({
    lines: 7 + comments,
    views: { human: 3, ai: 1, neither: 0 },
    filtered: { method: 1, status: 1, comment: comments },
    malformed: { 'wrong-format': 1 },
  })
})

test.each(samples)('%s is read in the given format %s', (file, name) => {
  const format = formats.find(format => format.name === name) ?? json
  expect(readLog(readSample(file), { format }).views).toEqual(wantedOf(file))
})

test.each(samples.filter(([, , clientField]) => clientField !== undefined))(
  '%s (%s): the field %s has the client',
  (file, name, clientField) => {
    const format = name === 'json' ? json : undefined
    expect(readLog(readSample(file), { format, clientField }).views).toEqual(behindProxy)
    // The second from the right is the client here; the last one is a proxy.
    expect(readLog(readSample(file), { format, clientField, trustedProxies: 2 }).views).toEqual(behindProxy)
    const nearest = readLog(readSample(file), { format, clientField, trustedProxies: 1 }).views
    expect(nearest.at(-1)?.visitor).toBe(visitor('10.0.0.2', quoted))
  },
)

const host = { id: 'prj_docs', visitorSaltRotation: 'never', visitorRules: 2 } as const
test.each(['vhost-combined.txt', 'caddy.jsonl', 'traefik.jsonl', 'cloudfront.tsv', 'pino.jsonl'])(
  '%s contains the host of each line',
  file => {
    const format = file === 'pino.jsonl' ? json : undefined
    const { tally, views, reader } = readLog(readSample(file), {
      format,
      projects: new Map([['docs.example.com', host]]),
    })
    expect(views).toEqual(wanted.slice(0, 3).map(view => ({ ...view, project: 'prj_docs' })))
    expect(tally.filtered['unknown-host']).toBe(2)
    expect(reader.unknownHosts).toEqual(new Map([['other.example.org', 2]]))
  },
)

test.each(['combined.txt', 'traefik.txt'])('%s has no host, and the error names a remedy', file => {
  const read = () => readLog(readSample(file), { projects: new Map([['docs.example.com', host]]) })
  expect(read).toThrow(
    /do not contain the host\. Name one project for all lines, or use a format with the host \(.*caddy.*\)\./,
  )
})

test('a CloudFront log without a header has the usual columns, and one with a header is read by column name', () => {
  const [, header = '', ...lines] = readSample('cloudfront.tsv').toString().split('\n')
  expect(readLog(lines.join('\n')).views).toEqual(behindProxy)
  const names = header.slice('#Fields: '.length).split(' ').reverse().join(' ')
  const reversed = lines.map(line => line.split('\t').reverse().join('\t')).join('\n')
  expect(readLog(`#Version: 1.0\n#Fields: ${names}\n${reversed}`).views).toEqual(behindProxy)
})

test('a later line in another format is malformed', () => {
  const { tally, reader } = readLog(Buffer.concat([readSample('combined.txt'), readSample('caddy.jsonl')]))
  expect(reader.format?.name).toBe('combined')
  expect(tally.malformed['wrong-format']).toBe(8)
})

test.each(['\ufeff', '\ufeff\r\n', 'hello\n\n{"a":1}\n\x16\x03\x01\n'])(
  '%j before the first line does not matter',
  above => {
    for (const [file, name] of samples.filter(([, name]) => name !== 'json')) {
      const { reader, views } = readLog(Buffer.concat([Buffer.from(above), readSample(file)]))
      expect(reader.format?.name).toBe(name)
      expect(views).toEqual(wantedOf(file))
    }
  },
)

test.each([
  ['combined.txt', '0', /position of the field after the user agent/],
  ['vhost-combined.txt', 'X-Forwarded-For', /position of the field after the user agent/],
  ['cloudfront.tsv', 'last', /CloudFront has x-forwarded-for and c-ip/],
])('%s has no client field %s', (file, clientField, message) => {
  expect(() => readLog(readSample(file), { clientField })).toThrow(message)
})

const combinedLine = readSample('combined.txt').toString().split('\n')[0]?.replace(/ "-"$/, '') ?? ''
test.each([
  ['', undefined, '203.0.113.9'],
  [' "-"', 'last', '203.0.113.9'],
  [' "unknown"', 'last', '203.0.113.9'],
  [' "198.51.100.1" 0.004 "x"', '1', '198.51.100.1'],
  [' 0.004 "198.51.100.1"', '2', '198.51.100.1'],
  [' 0.004 "198.51.100.1"', 'last', '198.51.100.1'],
  [' 0.004', '2', '203.0.113.9'],
  [' "unknown, 198.51.100.1"', 'last', '198.51.100.1'],
  [' "[2001:db8::7]:443, 198.51.100.1"', 'last', '2001:db8::'],
  [' 198.51.100.1', 'last', '198.51.100.1'],
] as const)('after the user agent %j, field %s: the client is %s', (after, clientField, client) => {
  expect(readLog(combinedLine + after, { clientField }).views).toMatchObject([{ visitor: visitor(client, firefox) }])
})

test.each([
  [' "198.51.100.1', '1'],
  [' "198.51.100.1', 'last'],
  [' "198.51.100.1, 10.0.0.1" "0.0', 'last'],
])('a truncated field after the user agent, %j, makes the line malformed', (after, clientField) => {
  const { views, tally } = readLog(combinedLine + after, { clientField })
  expect({ views, malformed: tally.malformed }).toMatchObject({ views: [], malformed: { 'wrong-format': 1 } })
})
