import { expect, test } from 'vitest'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { emptyLogLine } from '../../../server/analytics/formats/log-format.ts'

const json = createJsonFormat(
  parseJsonFields('time=t,method=m,path=p,status=s,userAgent=u,address=a,referrer=h.referer,accept=h.accept'),
)

/** Returns the referrer and the Accept header of a line. */
function readHeaders(name: string, text: string) {
  const format = [...formats, json].find(format => format.name === name)
  const parser = format?.open({})
  const bytes = Buffer.from(text)
  const line = emptyLogLine()
  expect(parser?.parse(bytes, 0, bytes.length, line)).toBe('request')
  const field = (start: number, end: number) => parser?.decodeHeader(line.bytes.toString('latin1', start, end))
  return [field(line.referrerStart, line.referrerEnd), field(line.acceptStart, line.acceptEnd)]
}

const combined = (referrer: string) =>
  `203.0.113.9 - - [20/Nov/2025:10:11:12 +0000] "GET /guide HTTP/1.1" 200 512 "${referrer}" "curl/8.0"`
const cloudfront = (referrer: string) =>
  `2025-11-20\t10:11:12\tFRA2\t1\t203.0.113.9\tGET\td.cloudfront.net\t/guide\t200\t${referrer}\tcurl/8.0\t-\t-\tHit`
const caddy = (headers: unknown) =>
  JSON.stringify({
    ts: 1763633472,
    request: { client_ip: '203.0.113.9', method: 'GET', uri: '/guide', headers },
    status: 200,
  })
const traefik = (headers: object) =>
  JSON.stringify({
    ClientHost: '203.0.113.9',
    DownstreamStatus: 200,
    RequestMethod: 'GET',
    RequestPath: '/guide',
    StartUTC: '2025-11-20T10:11:12Z',
    ...headers,
  })
const pino = (h: unknown) =>
  JSON.stringify({ t: 1763633472, m: 'GET', p: '/guide', s: 200, u: 'curl/8.0', a: '203.0.113.9', h })

const chatgpt = 'https://chatgpt.com/'
test.each([
  ['combined', combined(chatgpt), chatgpt, ''],
  ['combined', combined('-'), '', ''],
  ['combined', combined(''), '', ''],
  ['combined', combined('-x'), '-x', ''],
  ['combined', combined(String.raw`https://a.example/\x22b\"`), 'https://a.example/"b"', ''],
  ['vhost_combined', `docs.example.com:443 ${combined(chatgpt)}`, chatgpt, ''],
  ['traefik', `${combined(chatgpt)} 1 "a" "b" 1ms`, chatgpt, ''],
  ['cloudfront', cloudfront('https://chatgpt.com/?a%2520b'), 'https://chatgpt.com/?a b', ''],
  ['cloudfront', cloudfront('-'), '', ''],
  ['caddy', caddy({ Referer: [chatgpt], Accept: ['text/markdown', '*/*'] }), chatgpt, 'text/markdown'],
  ['caddy', caddy({}), '', ''],
  ['traefik-json', traefik({ request_Referer: chatgpt, request_Accept: 'text/markdown' }), chatgpt, 'text/markdown'],
  ['traefik-json', traefik({ request_Referer: '-' }), '', ''],
  ['json', pino({ referer: chatgpt, accept: 'text/markdown' }), chatgpt, 'text/markdown'],
  ['json', pino({}), '', ''],
])('%s: %s has the referrer %j and the Accept header %j', (name, text, referrer, accept) => {
  expect(readHeaders(name, text)).toEqual([referrer, accept])
})
