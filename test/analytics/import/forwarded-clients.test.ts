import { expect, test } from 'vitest'
import { findForwardedClient, findKnownOwners } from '../../../server/analytics/import/address-owners.ts'
import { LineExplainer } from '../../../server/analytics/import/explain-line.ts'

const cloudflare = '172.68.10.20'
const request =
  '[20/Nov/2026:10:11:12 +0000] "GET /guide HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"'

function findClient(line: string, clientField?: string): string | undefined {
  const explainer = new LineExplainer({ now: Date.UTC(2026, 10, 21), ipv6Prefix: 64, clientField })
  return explainer.explain(line).steps.find(({ step }) => step === 'client')?.finding
}

test.each([
  [`10.0.0.1 - - ${request} "203.0.113.9"`, '203.0.113.9', 'a private network'],
  [`${cloudflare} - - ${request} 0.004 "203.0.113.9, 10.0.0.2" "h2"`, '203.0.113.9', 'Cloudflare'],
  [`::ffff:10.0.0.1 - - ${request} "2001:db8:1:2:3::4"`, '2001:db8:1:2::', 'a private network'],
  [`2a01:111:2050:7::5 - - ${request} "198.51.100.1, 203.0.113.9, 147.243.1.1"`, '203.0.113.9', 'Azure Front Door'],
  [
    JSON.stringify({
      request: {
        method: 'GET',
        uri: '/guide',
        host: 'docs.example.com',
        remote_ip: '192.168.1.2',
        headers: { 'User-Agent': ['Mozilla/5.0 Firefox/145.0'], 'X-Forwarded-For': ['198.51.100.7, 203.0.113.9'] },
      },
      status: 200,
      ts: 1_795_000_000,
    }),
    '203.0.113.9',
    'a private network',
  ],
])('line %# is counted by the address that a known proxy sent', (line, client, owner) => {
  expect(findClient(line)).toBe(`${client}, from X-Forwarded-For, because the peer belongs to ${owner}`)
})

test.each([
  // A reader can send this header to a server that is no proxy's.
  [`203.0.113.9 - - ${request} "198.51.100.1"`, '203.0.113.9'],
  [`${cloudflare} - - ${request} "-"`, cloudflare],
  // ingress-nginx writes its upstream without quotes.
  [`10.0.0.1 - - ${request} 320 0.004 [docs-80] [] 198.51.100.4:8080 512 0.004 200 abc`, '10.0.0.1'],
  [`10.0.0.1 - - ${request} "10.1.2.3:8080"`, '10.0.0.1'],
])('line %# is counted by its peer', (line, client) => {
  expect(findClient(line)).toBe(`${client}, the peer`)
})

test('a client field that is set wins', () => {
  expect(findClient(`10.0.0.1 - - ${request} "203.0.113.9" "198.51.100.7"`, 'last')).toBe(
    '198.51.100.7, from the client field',
  )
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9:4711, 104.16.0.1', '203.0.113.9'],
  ['forged, 203.0.113.9', '203.0.113.9'],
  ['203.0.113.9, forged', undefined],
  ['10.1.2.3, 10.0.0.2', '10.1.2.3'],
  ['', undefined],
])('the client of %j is %s', (list, client) => {
  expect(findForwardedClient(list, 64, findKnownOwners())).toBe(client)
})
