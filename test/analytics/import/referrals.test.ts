import { expect, test } from 'vitest'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { emptyLogLine, type LineParser } from '../../../server/analytics/formats/log-format.ts'
import { createPatternFormat } from '../../../server/analytics/formats/pattern-format.ts'
import { Referrals } from '../../../server/analytics/import/referrals.ts'

function find(name: string, text: string, referrals = new Referrals()): string | undefined {
  const parser = formats.find(format => format.name === name)?.open({})
  const bytes = Buffer.from(text)
  const line = emptyLogLine()
  expect(parser?.parse(bytes, 0, bytes.length, line)).toBe('request')
  return referrals.find(line)?.site
}

/** Returns the assistant of the last of these lines. */
function findIn(parser: LineParser, lines: readonly string[]): string | undefined {
  const line = emptyLogLine()
  for (const text of lines) {
    const bytes = Buffer.from(text)
    expect(parser.parse(bytes, 0, bytes.length, line)).not.toBe('malformed')
  }
  return new Referrals().find(line)?.site
}

function combined(target: string, referrer: string): string {
  return `203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET ${target} HTTP/1.1" 200 5 "${referrer}" "Mozilla/5.0"`
}

const caddy = (uri: string, headers: object) =>
  JSON.stringify({ ts: 1795000000, status: 200, request: { client_ip: '203.0.113.9', method: 'GET', uri, headers } })

test.each([
  ['https://chatgpt.com/', 'chatgpt.com'],
  ['https://chatgpt.com', 'chatgpt.com'],
  ['https://chatgpt.com/c/0f3c?model=x', 'chatgpt.com'],
  ['https://chatgpt.com?x', 'chatgpt.com'],
  ['https://ChatGPT.com/', 'chatgpt.com'],
  ['https://chatgpt.com:443/', 'chatgpt.com'],
  ['http://chatgpt.com/', 'chatgpt.com'],
  ['https://chat.openai.com/', 'chatgpt.com'],
  ['https://www.perplexity.ai/search/x', 'perplexity.ai'],
  ['https://gemini.google.com/', 'gemini.google.com'],
  ['https://www.google.com/', undefined],
  ['https://docs.example.com/chatgpt.com/', undefined],
  ['https://chatgpt.com.example/', undefined],
  ['https://user@chatgpt.com/', undefined],
  ['ftp://chatgpt.com/', undefined],
  ['chatgpt.com', undefined],
  ['https://', undefined],
  ['http', undefined],
  [`https://${'a'.repeat(300)}.com/`, undefined],
])('the referrer %s is the assistant %s', (referrer, want) => {
  expect(find('combined', combined('/guide', referrer))).toBe(want)
})

test.each([
  ['/guide?utm_source=chatgpt.com', 'chatgpt.com'],
  ['/guide?a=b&utm_source=chatgpt.com', 'chatgpt.com'],
  ['/guide?utm_source=chatgpt.com&a=b', 'chatgpt.com'],
  ['/guide?utm_source=chatgpt.com#top', 'chatgpt.com'],
  ['/guide?utm_source=newsletter', undefined],
  ['/guide?utm_source=chatgpt.com.example', undefined],
  ['/guide?utm_source=', undefined],
  ['/guide?my_utm_source=chatgpt.com', undefined],
  ['/guide?', undefined],
  ['/guide#utm_source=chatgpt.com', undefined],
  [`/guide?${'a=b&'.repeat(1000)}utm_source=chatgpt.com`, undefined],
])('without a referrer, the target %s is of the assistant %s', (target, want) => {
  expect(find('combined', combined(target, '-'))).toBe(want)
  expect(find('caddy', caddy(target, { 'User-Agent': ['chatgpt.com'] }))).toBe(want)
})

const fields = '#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) cs(Referer)'

test.each([
  ['$request_method|$request_uri|$status|$http_referer|$http_user_agent', 'GET|/a?utm_source=chatgpt.com|200|-|x'],
  ['$request_method|$uri|$args|$status|$http_referer|$http_user_agent', 'GET|/a|utm_source=chatgpt.com|200|-|x'],
  ['%m|%U%q|%>s|%{Referer}i|%{User-Agent}i', 'GET|/a?utm_source=chatgpt.com|200|-|x'],
  ['%m|%U|%q|%>s|%{Referer}i|%{User-Agent}i', 'GET|/a|?utm_source=chatgpt.com|200|-|x'],
])('the query of %s is read', (pattern, text) => {
  const isNginx = pattern.startsWith('$')
  const format = createPatternFormat(`${isNginx ? '$remote_addr|$time_iso8601' : '%a|%{%FT%T%z}t'}|${pattern}`)
  const time = isNginx ? '2026-11-20T10:11:12+00:00' : '2026-11-20T10:11:12+0000'
  expect(findIn(format.open({}), [`203.0.113.9|${time}|${text}`])).toBe('chatgpt.com')
  expect(findIn(format.open({}), [`203.0.113.9|${time}|${text.replace('utm_', '')}`])).toBeUndefined()
})

test.each(['w3c', 'cloudfront'])('the query column of %s is read', name => {
  const parser = () => formats.find(format => format.name === name)?.open({}) as LineParser
  const separator = name === 'w3c' ? ' ' : '\t'
  const toLine = (query: string) => `2026-11-20 10:11:12 203.0.113.9 GET /a ${query} 200 x -`.replaceAll(' ', separator)
  expect(findIn(parser(), [fields, toLine('a=b&utm_source=chatgpt.com')])).toBe('chatgpt.com')
  expect(findIn(parser(), [fields, toLine('utm_source=chatgpt.com'), toLine('-')])).toBeUndefined()
})

test('the query does not matter if there is a referrer', () => {
  expect(find('combined', combined('/?utm_source=chatgpt.com', 'https://www.google.com/'))).toBeUndefined()
  expect(find('caddy', caddy('/?utm_source=chatgpt.com', { Referer: ['https://claude.ai/'] }))).toBe('claude.ai')
})

test('any number of different hosts is read', () => {
  const referrals = new Referrals()
  for (let i = 0; i < 25_000; i++) {
    const host = i % 5000 === 0 ? 'claude.ai' : `h${i}.example`
    const want = i % 5000 === 0 ? 'claude.ai' : undefined
    if (find('combined', combined('/', `https://${host}/`), referrals) !== want) throw new Error(`${i}: ${host}`)
  }
})
