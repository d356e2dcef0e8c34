import { expect, test } from 'vitest'
import { emptyLogLine } from '../../../server/analytics/formats/log-format.ts'
import { createPatternFormat, isPattern } from '../../../server/analytics/formats/pattern-format.ts'
import { Clients } from '../../../server/analytics/import/clients.ts'

/** Parses a line by a pattern. */
function parse(pattern: string, text: string, clientField?: string) {
  const parser = createPatternFormat(pattern).open({ clientField })
  const bytes = Buffer.from(`x${text}x`)
  const line = emptyLogLine()
  const parsed = parser.parse(bytes, 1, bytes.length - 1, line)
  if (parsed !== 'request') return parsed
  const field = (start: number, end: number, decode = parser.decodeHeader) =>
    Buffer.from(decode(line.bytes.toString('latin1', start, end)), 'latin1').toString()
  return {
    address: field(line.addressStart, line.addressEnd),
    client: field(line.clientStart, line.clientEnd),
    at: Number.isNaN(line.atMs) ? 'bad date' : new Date(line.atMs).toISOString(),
    target: line.isGet ? field(line.targetStart, line.targetEnd, parser.decodeTarget) : 'not a GET',
    status: line.status,
    agent: field(line.userAgentStart, line.userAgentEnd),
    host: field(line.hostStart, line.hostEnd),
    referrer: field(line.referrerStart, line.referrerEnd),
    accept: field(line.acceptStart, line.acceptEnd),
  }
}

const base = '$remote_addr [$time_local] "$request" $status "$http_user_agent"'
const line = '203.0.113.9 [20/Nov/2025:10:11:12 +0100] "GET /a?b HTTP/1.1" 200 "curl/8"'

test.each([
  [base, line, { address: '203.0.113.9', at: '2025-11-20T09:11:12.000Z', target: '/a', status: 200, agent: 'curl/8' }],
  [`${base} "$http_accept" "$http_referer"`, `${line} "text/markdown" "-"`, { accept: 'text/markdown', referrer: '' }],
  [`${base} \${host}:$server_port`, `${line} docs.example.com:443`, { host: 'docs.example.com' }],
  [
    '$remote_addr|$msec|$request_method|$scheme://$host$request_uri|$status|$http_user_agent',
    '2001:db8::1|1763633472.123|GET|https://docs.example.com/a?b|304|Mozilla/5.0 (X11)',
    {
      address: '2001:db8::1',
      at: '2025-11-20T10:11:12.000Z',
      host: 'docs.example.com',
      target: '/a',
      agent: 'Mozilla/5.0 (X11)',
    },
  ],
  [
    '$remote_addr\\t$time_iso8601\\t$request_method $uri$is_args$args\\t$status\\t$http_user_agent',
    '203.0.113.9\t2025-11-20T10:11:12+00:00\tPOST /a?b\t200\tcurl/8 (x)',
    { target: 'not a GET', agent: 'curl/8 (x)' },
  ],
  // A user name may contain anything but a bare quote, also another date.
  [
    '$remote_addr - $remote_user [$time_local] "$request" $status "$http_user_agent"',
    '203.0.113.9 - a [20/Nov/2001:10:11:12 +0000] b [20/Nov/2025:10:11:12 +0000] "GET /a HTTP/1.1" 200 "x"',
    { at: '2025-11-20T10:11:12.000Z', target: '/a' },
  ],
  [
    base,
    String.raw`203.0.113.9 [20/Nov/2025:10:11:12 +0100] "GET /\x22 HTTP/1.1" 200 "a\x22b\"c"`,
    { target: '/"', agent: 'a"b"c' },
  ],
  [
    `escape=json '{"a":"$remote_addr","t":"$time_iso8601","r":"$request","s":$status,"u":"$http_user_agent"}'`,
    String.raw`{"a":"203.0.113.9","t":"2025-11-20T10:11:12Z","r":"GET /é HTTP/1.1","s":200,"u":"a\"b\\c\u00e9"}`,
    { target: '/é', agent: 'a"b\\cé' },
  ],
  [
    `escape=none '${base}'`,
    String.raw`203.0.113.9 [20/Nov/2025:10:11:12 +0100] "GET /a HTTP/1.1" 200 "a\b"`,
    { agent: 'a\\b' },
  ],
  [
    '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"',
    '203.0.113.9 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 - "http://x.example/" "Mozilla/4.08"',
    { at: '2000-10-10T20:55:36.000Z', target: '/a.gif', referrer: 'http://x.example/', agent: 'Mozilla/4.08' },
  ],
  [
    'LogFormat "%v:%p %a %{%Y-%m-%dT%T}t.%{msec_frac}t%{%z}t %m %U%q %s \\"%!200,304{User-Agent}i\\" %{c}a" name',
    'docs.example.com:443 203.0.113.9 2025-11-20T10:11:12.345+0100 GET /a?b=c 200 "curl/8" 10.0.0.1',
    { host: 'docs.example.com', address: '203.0.113.9', at: '2025-11-20T09:11:12.000Z', target: '/a', agent: 'curl/8' },
  ],
  [
    '%a %{%d/%b/%Y %H:%M:%S}t %{usec}t "%r" %>s "%{User-Agent}i"',
    '203.0.113.9 20/Nov/2025 10:11:12 1763633472000000 "GET /a HTTP/1.1" 200 "x"',
    { at: '2025-11-20T10:11:12.000Z' },
  ],
])('%s reads %s', (pattern, text, want) => {
  expect(parse(pattern, text)).toMatchObject(want)
})

const common = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"'
const tail = '- frank [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 - "-" "x"'

test.each([
  [common, `Host-1.Example.net ${tail}`, 'host-1.example.net'],
  [common, `web-1 ${tail}`, undefined],
  [common, `docs.example.com 203.0.113.9 ${tail}`, undefined],
  [common.replace('%h', '%a'), `host-1.example.net ${tail}`, undefined],
])('the client of %s in %s is %s', (pattern, text, client) => {
  const parser = createPatternFormat(pattern).open({})
  const bytes = Buffer.from(text)
  const parsed = emptyLogLine()
  const clients = new Clients({})
  const hasClient = parser.parse(bytes, 0, bytes.length, parsed) === 'request' && clients.has(parsed, parser)
  expect(hasClient ? clients.bytes.toString('latin1', clients.start, clients.end) : undefined).toBe(client)
})

test.each([
  [`${line} more`, 'more text'],
  [line.slice(0, -1), 'a truncated line'],
  [line.replace('203.0.113.9', 'web-1'), 'a word instead of the address'],
  [line.replace('203.0.113.9', '203.0.113.9 - -'), 'more words'],
  [line.replace(' 200 ', ' - '), 'no status'],
  [line.replace(' 200 ', ' 2000 '), 'four digits'],
  [line.replace('20/Nov', '20-Nov'), 'another date'],
  ['', 'nothing'],
])('refuses %s', text => {
  expect(parse(base, text)).toBe('malformed')
})

test.each([
  [`${base} "$http_x_forwarded_for"`, `${line} "198.51.100.1, 10.0.0.1"`, 'X-Forwarded-For', '198.51.100.1, 10.0.0.1'],
  [`$http_x_forwarded_for ${base}`, `198.51.100.1, 10.0.0.1 ${line}`, 'x-forwarded-for', '198.51.100.1, 10.0.0.1'],
  [`${base} $http_cf_connecting_ip`, `${line} 198.51.100.1`, 'CF-Connecting-IP', '198.51.100.1'],
  [`${base} $proxy_protocol_addr`, `${line} 198.51.100.1`, '$proxy_protocol_addr', '198.51.100.1'],
  [`${base} "$http_x_forwarded_for"`, `${line} "-"`, 'X-Forwarded-For', ''],
])('%s: the field of the client is %s', (pattern, text, clientField, client) => {
  expect(parse(pattern, text, clientField)).toMatchObject({ client, address: '203.0.113.9' })
})

test('without the address of the peer, the first address of the list is the address', () => {
  const pattern = '$http_x_forwarded_for [$time_local] "$request" $status "$http_user_agent"'
  const text = line.replace('203.0.113.9', '198.51.100.1, 10.0.0.1')
  expect(parse(pattern, text, 'X-Forwarded-For')).toMatchObject({ address: '198.51.100.1' })
  expect(() => parse(pattern, text)).toThrow(/lacks the address: log also \$remote_addr, or name the header/)
})

test.each([
  [
    '$remote_addr',
    /--format lacks the time, request, status, user agent: log also \$time_local \$request \$status "\$http_user/,
  ],
  ['%h %t "%r" %>s', /--format lacks the user agent: log also "%\{User-Agent\}i"/],
  [base.replace('"$request"', '$request'), /has \$request without quotes before a space/],
  [`${base} $host$status`, /has nothing between \$host and \$status/],
  [`escape=xml ${base}`, /has escape=xml\. nginx has default, json and none/],
  ['%h %{%c}t "%r" %>s "%{User-Agent}i"', /has %c in the time %c\. Known are %Y/],
  ['%h %{now}t "%r" %>s "%{User-Agent}i"', /has %\{now\}t, a time in an unknown form/],
  ['haproxy{Host}', /lacks User-Agent: capture it/],
])('refuses the pattern %s', (pattern, message) => {
  expect(() => createPatternFormat(pattern)).toThrow(message)
})

test('a client field must be in the pattern', () => {
  expect(() => createPatternFormat(`${base} "$http_x_real_ip"`).open({ clientField: 'X-Forwarded-For' })).toThrow(
    /--client-field X-Forwarded-For is not in --format\. The headers in it are user-agent, x-real-ip\./,
  )
})

test('a pattern has variables; a name has none', () => {
  expect(['$a', '%h', 'haproxy{User-Agent}'].map(isPattern)).toEqual([true, true, true])
  expect(['combined', 'haproxy', 'json'].map(isPattern)).toEqual([false, false, false])
})
