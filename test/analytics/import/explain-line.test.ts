import { expect, test } from 'vitest'
import { formats } from '../../../server/analytics/formats/formats.ts'
import { LineExplainer, type LineExplanation } from '../../../server/analytics/import/explain-line.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { fixedKeys } from './read-log.ts'

const now = Date.UTC(2026, 10, 21)
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const time = '20/Nov/2026:23:11:12 +0000'

function line(request: string, { status = 200, date = time, agent = browser, rest = '' } = {}): string {
  return `203.0.113.9 - - [${date}] "${request}" ${status} 5 "-" "${agent}"${rest}`
}

/** Imports a line and returns how it was counted, in the words of an explanation. */
function count(text: string, format = formats.find(({ name }) => name === 'combined')): string {
  const reader = new LogReader({
    projects: { id: 'prj_1', visitorSaltRotation: 'never', visitorRules: 2 },
    keys: fixedKeys,
    now,
    format,
  })
  reader.push(Buffer.from(`${text}\n`))
  reader.endFile()
  const { filtered, malformed, rules, views } = reader.tally
  const named = (name: string, counts: object) =>
    Object.entries(counts).flatMap(([key, found]) => (found > 0 ? [`${name}: ${key}`] : []))
  const kinds = Object.entries(views).flatMap(([kind, found]) => (found > 0 ? [kind] : []))
  const viewed = [...new Map(rules)].map(([rule]) => `page view: ${kinds} (${rule})`)
  const [only, ...more] = [...named('filtered', filtered), ...named('malformed', malformed), ...viewed]
  expect(more).toEqual([])
  return only ?? 'nothing'
}

function inWords({ countsAs, kind, rule }: LineExplanation): string {
  return kind ? `${countsAs}: ${kind} (${rule})` : countsAs
}

const combined = formats.find(({ name }) => name === 'combined')
const explain = (text: string) => new LineExplainer({ now, format: combined }).explain(text)

test.each([
  ['', 'malformed: wrong-format'],
  [line('GET /a HTTP/1.1', { date: '31/Feb/2026:10:11:12 +0000' }), 'malformed: bad-date'],
  [line('GET /a HTTP/1.1', { date: '20/Nov/1999:10:11:12 +0000' }), 'malformed: bad-date'],
  [line('GET /a HTTP/1.1', { date: '20/Nov/2999:10:11:12 +0000' }), 'malformed: bad-date'],
  [line('POST /a HTTP/1.1'), 'filtered: method'],
  [line('\\x16\\x03\\x01'), 'filtered: method'],
  [line('GET /a HTTP/1.1', { status: 404 }), 'filtered: status'],
  [line('GET /a HTTP/1.1', { status: 304 }), 'page view: human (browser)'],
  [line('GET /a.css?v=1 HTTP/1.1'), 'filtered: asset'],
  [line('GET /robots.txt HTTP/1.1'), 'filtered: machine-file'],
  [line('GET /guide?_rsc=1a2b3 HTTP/1.1'), 'filtered: router-data'],
  [line('GET /guide?tab=a&_rsc=1a2b3 HTTP/1.1'), 'filtered: router-data'],
  [line('GET /guide?_data=routes%2Fguide HTTP/1.1'), 'filtered: router-data'],
  [line('GET /guide?my_rsc=1 HTTP/1.1'), 'page view: human (browser)'],
  [line('GET /guide.data?_routes=root HTTP/1.1'), 'filtered: router-data'],
  [line('GET /api/search?query=a HTTP/1.1'), 'filtered: service'],
  [line('GET /api/search HTTP/1.1'), 'page view: human (browser)'],
  [line('GET /_quire/view?page=%2Fguide%2F HTTP/1.1', { status: 204 }), 'page view: human (browser)'],
  [line('GET /_quire/view?page=%2Fguide HTTP/1.1'), 'filtered: service'],
  [line('GET /_quire/view?page=%2Fguide HTTP/1.1', { status: 404 }), 'filtered: status'],
  [line('GET /_quire/view HTTP/1.1', { status: 204 }), 'filtered: service'],
  [line('GET /_quire/view?page=%2Fa.css HTTP/1.1', { status: 204 }), 'filtered: asset'],
  [line('GET /_quire/view?page=%2F.env HTTP/1.1', { status: 204 }), 'filtered: scan'],
  [line('GET /_quire/view?page=%2F_quire%2Fview HTTP/1.1', { status: 204 }), 'filtered: service'],
  [line('GET /_quire/view?page=guide HTTP/1.1', { status: 204 }), 'malformed: bad-path'],
  [line('GET /_quire/view?page=%2Fa%0Ab HTTP/1.1', { status: 204 }), 'malformed: bad-path'],
  [line('GET /_quire/view?page=%2Fguide HTTP/1.1', { status: 204, agent: 'GPTBot/1.3' }), 'page view: ai (ai: GPTBot)'],
  [line('GET /.env HTTP/1.1'), 'filtered: scan'],
  [line('GET /llms.txt HTTP/1.1'), 'filtered: machine-file'],
  [line('GET /a%00b HTTP/1.1'), 'malformed: bad-path'],
  [line('GET /caf\u00e9 HTTP/1.1'), 'page view: human (browser)'],
  [line('GET /a.md HTTP/1.1'), 'page view: human (browser)'],
  [line('GET /a.md HTTP/1.1', { agent: 'curl/8.5.0' }), 'page view: neither (http-library: curl)'],
  [line('GET /a.md HTTP/1.1', { agent: 'GPTBot/1.3' }), 'page view: ai (ai: GPTBot)'],
  [line('GET /a HTTP/1.1', { agent: '-' }), 'page view: neither (empty)'],
  [line('GET /a HTTP/1.1', { agent: 'a \\"quoted\\" bot/1' }), 'page view: neither (isbot: bots)'],
  [`${line('GET /a HTTP/1.1')}${'x'.repeat(65_536)}`, 'malformed: too-long'],
])('%# counts as %s', (text, outcome) => {
  expect(inWords(explain(text))).toBe(outcome)
  if (text !== '') expect(count(text)).toBe(outcome)
})

test('explains each line of a log as an import counts it', () => {
  const log = [...generateAccessLog({ seed: 7, lines: 3000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b/c'] })]
  const outcomes = log.map(text => inWords(explain(text)))
  expect(outcomes).toEqual(log.map(text => count(text)))
  expect(new Set(outcomes).size).toBeGreaterThan(10)
})

test('says why a request of the script for counting is no page view', () => {
  expect(explain(line('GET /_quire/view?page=%2Fguide HTTP/1.1')).steps.at(-1)).toEqual({
    step: 'page',
    finding: '/_quire/view tells which page was opened, but names no page, or was not answered with 204',
  })
})

test('lists the checks in order, up to the one that decides', () => {
  expect(explain(line('GET /guides/a/index.md?x=1 HTTP/1.1', { agent: 'Claude-User/1.0' }))).toMatchObject({
    format: 'combined',
    countsAs: 'page view',
    kind: 'ai',
    rule: 'ai: Claude-User',
    page: '/guides/a',
    day: '2026-11-20',
    steps: [
      { step: 'format', finding: 'combined' },
      { step: 'date', finding: '2026-11-20T23:11:12.000Z, UTC day 2026-11-20' },
      { step: 'method', finding: 'GET' },
      { step: 'status', finding: '200' },
      { step: 'page', finding: '/guides/a, as Markdown' },
      { step: 'client', finding: '203.0.113.9, the peer' },
      {
        step: 'who',
        finding: expect.stringMatching(/^An AI assistant, by Anthropic: “Claude-User” is in the built-in list/),
      },
      {
        step: 'operator',
        finding: 'Not verified: 203.0.113.9 is the address of a proxy, a private network or an example.',
      },
    ],
  })
  expect(explain(line('GET /a HTTP/1.1', { status: 500 })).steps.map(({ step }) => step)).toEqual([
    'format',
    'date',
    'method',
    'status',
  ])
})

test('a Markdown view by a program that no list names is explained with and without the setting', () => {
  const text = line('GET /a.md HTTP/1.1', { agent: 'SomeBot/1.0' })
  expect(explain(text)).toMatchObject({
    kind: 'neither',
    steps: expect.arrayContaining([
      { step: 'markdown', finding: expect.stringMatching(/count as AI only with --markdown-as-ai$/) },
    ]),
  })
  expect(new LineExplainer({ now, format: combined, markdownAsAi: true }).explain(text)).toMatchObject({
    kind: 'ai',
    rule: 'ai: Markdown view',
    steps: expect.arrayContaining([
      { step: 'markdown', finding: expect.stringMatching(/--markdown-as-ai counts its Markdown views as AI$/) },
    ]),
  })
  expect(explain(line('GET /a.md HTTP/1.1')).steps.map(({ step }) => step)).not.toContain('markdown')
})

test('formats are detected from the lines, and a header of one log serves the lines below it', () => {
  const explainer = new LineExplainer({ now })
  const header = '#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) x-host-header'
  expect(explainer.explain(header)).toMatchObject({ format: 'cloudfront', countsAs: 'filtered: comment' })
  const text = ['2026-11-20', '10:11:12', '203.0.113.9', 'GET', '/a', '200', 'curl/8.5.0', 'docs.example.com'].join(
    '\t',
  )
  expect(explainer.explain(text)).toMatchObject({
    page: '/a',
    kind: 'neither',
    steps: expect.arrayContaining([
      { step: 'host', finding: 'docs.example.com: with --by-host, it must be the domain of a site' },
    ]),
  })
  expect(new LineExplainer({ now }).explain('nothing that is known')).toMatchObject({
    format: null,
    steps: [
      { step: 'format', finding: expect.stringMatching(/no known format \(cloudfront, .*forwarded-combined\)$/) },
    ],
  })
})

test('the client is the address in the client field', () => {
  const explainer = new LineExplainer({ now, clientField: 'last', trustedProxies: 1 })
  const client = (text: string) => explainer.explain(text).steps.find(({ step }) => step === 'client')?.finding
  const rest = ' "198.51.100.7, 192.0.2.1"'
  expect(client(line('GET /a HTTP/1.1', { rest }))).toBe('192.0.2.1, from the client field')
  expect(client(line('GET /a HTTP/1.1', { rest: ' "-"' }))).toMatch(
    /^203\.0\.113\.9, the peer: the client field has no/,
  )
})

test('escapes in user agent and client list are decoded as in an import', () => {
  const explainer = new LineExplainer({ now, clientField: 'x-forwarded-for', trustedProxies: 1 })
  explainer.explain('#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) x-forwarded-for')
  const agent = 'Mozilla/5.0%2520(compatible;%2520GPTBot/1.3)'
  for (const list of ['198.51.100.7,%20192.0.2.1', '198.51.100.7,%2520192.0.2.1']) {
    const text = ['2026-11-20', '10:11:12', '203.0.113.9', 'GET', '/a', '200', agent, list].join('\t')
    expect(explainer.explain(text)).toMatchObject({
      rule: 'ai: GPTBot',
      userAgent: { userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.3)' },
      steps: expect.arrayContaining([{ step: 'client', finding: '192.0.2.1, from the client field' }]),
    })
  }
})

test.each([
  ['203.0.113.9:443', '203.0.113.9, the peer (logged as 203.0.113.9:443, counted without port)'],
  [
    '[2001:db8::1]:443',
    '2001:db8::, the peer (logged as [2001:db8::1]:443, counted without brackets and port in this form)',
  ],
  ['fe80::1%eth0', 'fe80::, the peer (logged as fe80::1%eth0, counted without zone in this form)'],
  ['2001:DB8::1', '2001:db8::, the peer (logged as 2001:DB8::1, counted in this form)'],
  [
    '[::ffff:203.0.113.9]',
    '203.0.113.9, the peer (logged as [::ffff:203.0.113.9], counted without brackets in this form)',
  ],
  ['dsl-7.example.net', 'dsl-7.example.net, the peer'],
])('the client %s is explained', (address, finding) => {
  const { steps } = explain(line('GET /a HTTP/1.1').replace('203.0.113.9', address))
  expect(steps).toContainEqual({ step: 'client', finding })
})

test('a word that is not an address is named', () => {
  const text = line('GET /a HTTP/1.1').replace('203.0.113.9', 'nginx-1')
  expect(explain(text)).toMatchObject({
    countsAs: 'malformed: bad-address',
    steps: [
      { step: 'format', finding: 'combined' },
      { step: 'address', finding: 'nginx-1 is not an IP address or a host name' },
    ],
  })
  expect(count(text)).toBe('malformed: bad-address')
})

test.each([
  ['/a?utm_source=chatgpt.com', [{ step: 'referral', finding: 'came from the AI assistant ChatGPT' }]],
  ['/a', []],
])('the assistant that led to %s is named', (target, want) => {
  const { steps } = explain(line(`GET ${target} HTTP/1.1`))
  expect(steps.filter(({ step }) => step === 'referral')).toEqual(want)
})
