import type { Day } from '../../analytics/day.ts'
import { dayMs } from '../../base/day-ms.ts'

export interface AccessLogOptions {
  /** The same options give the same lines. */
  seed: number
  lines: number
  from: Day
  /** Exclusive. */
  to: Day
  /** Canonical paths, most popular first. */
  paths: readonly string[]
  /** Time zone of the log in minutes east of UTC; default 0. */
  offsetMinutes?: number
}

/** User agents with their kind, labelled by hand, so that tests can check the classifier. */
export const demoAgents: readonly { kind: 'human' | 'ai' | 'neither'; userAgent: string }[] = [
  ...toAgents(
    'human',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15
Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0
Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0
Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36
Mozilla/5.0 (Linux; Android 15; SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ),
  ...toAgents(
    'ai',
    `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)
meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)
CCBot/2.0 (https://commoncrawl.org/faq/)`,
  ),
  ...toAgents(
    'neither',
    `Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36
Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)
Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)
Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)
facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)
Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)
curl/8.5.0
python-requests/2.32.5
Go-http-client/2.0
-`,
  ),
]

export const agentsOf = Map.groupBy(demoAgents, ({ kind }) => kind)

/**
 * Generates the combined access log of a documentation site, line by line, without line breaks: Zipf-distributed pages with
 * varying paths, returning readers, AI agents, classic bots, assets, errors, other methods, IPv6, and a few malformed lines.
 * Lines are in order of time, except for a few late ones.
 */
export function* generateAccessLog({
  seed,
  lines,
  from,
  to,
  paths,
  offsetMinutes = 0,
}: AccessLogOptions): Generator<string> {
  const random = createRandom(seed)
  const pickPage = createZipf(paths, random)
  const readers = Math.max(20, Math.round(lines / 12))
  for (let i = 0; i < lines; i++) {
    const late = random() < 0.001 ? random() * 90_000 : 0
    const atMs = Math.max(
      from * dayMs,
      Math.floor(from * dayMs + ((i + random()) / lines) * (to - from) * dayMs - late),
    )
    const kind = pick(kinds, random)
    const { address, userAgent } = pickVisitor(kind, readers, random)
    const target = pickRequest(kind, pickPage(), random)
    const status = target.startsWith('POST') ? 201 : pick(statuses, random)
    const size = status === 304 ? '-' : String(500 + Math.floor(random() * 60_000))
    const { referrer, request } = refer(kind, target, random())
    const date = toLogDate(atMs, offsetMinutes)
    const line = `${address} - - [${date}] "${request}" ${status} ${size} "${referrer}" "${userAgent}"`
    yield random() < 0.002 ? spoil(line, random) : line
  }
}

export type Random = () => number

const kinds = ['human', 'human', 'human', 'human', 'human', 'human', 'ai', 'ai', 'neither', 'neither'] as const
const statuses = [200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 304, 304, 404, 301, 206, 500, 403]

function pickVisitor(kind: (typeof kinds)[number], readers: number, random: Random) {
  const agents = agentsOf.get(kind) ?? []
  // Squared, so that some readers return on most days and many come only once.
  const visitor = kind === 'human' ? Math.floor(readers * random() ** 2) : Math.floor(random() * 400)
  const userAgent = agents[visitor % agents.length]?.userAgent ?? '-'
  // Some readers share an address, as behind a router.
  const host = kind === 'human' ? Math.floor(visitor / 1.3) : visitor + 1_000_000_000
  return { address: toAddress(host), userAgent }
}

/**
 * Uses the IPv6 documentation prefix (RFC 3849) and private IPv4 addresses (RFC 1918). IPv6 is canonical, as in most logs, and each
 * host has a /64 network of its own, as subscribers have.
 */
export function toAddress(host: number): string {
  if (host % 7 === 3) {
    const [high, low] = [host >> 16, host & 0xffff].map(group => group.toString(16))
    return low === '0' ? `2001:db8:${high}::1` : `2001:db8:${high}:${low}::1`
  }
  return `10.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`
}

function pickRequest(kind: (typeof kinds)[number], path: string, random: Random): string {
  if (random() < 0.015) return `HEAD ${path} HTTP/1.1`
  if (random() < 0.015) return 'POST /api/feedback HTTP/1.1'
  if (random() < (kind === 'human' ? 0.55 : 0.1)) return `GET ${pick(assets, random)} HTTP/2.0`
  const readsMarkdown = random() < { human: 0.004, ai: 0.3, neither: 0 }[kind]
  const folder = path === '/' ? '' : path
  const spelling = readsMarkdown ? `${folder || '/index'}.md` : pick(spellings, random)(path, folder)
  return `GET ${spelling} HTTP/${random() < 0.3 ? '1.1' : '2.0'}`
}

/** Where people come from who followed a link in an AI assistant; `-` with a query, as from an app. */
const assistants = [
  { referrer: 'https://chatgpt.com/', query: '' },
  { referrer: '-', query: '?utm_source=chatgpt.com' },
  { referrer: 'https://www.perplexity.ai/search/docs', query: '' },
  { referrer: 'https://chatgpt.com/', query: '?utm_source=chatgpt.com' },
  { referrer: 'https://claude.ai/', query: '' },
  { referrer: 'https://gemini.google.com/app', query: '' },
]

/** Adds a referrer to some requests. Some people come from an AI assistant. `turn` is from 0 to 1. */
export function refer(
  kind: (typeof kinds)[number],
  request: string,
  turn: number,
): { referrer: string; request: string } {
  if (turn < 0.3) return { referrer: 'https://www.example.com/search?q=docs', request }
  const assistant = kind === 'human' ? assistants[Math.floor((turn - 0.3) * 300)] : undefined
  if (!assistant) return { referrer: '-', request }
  const { referrer, query } = assistant
  return { referrer, request: request.includes('?') ? request : request.replace(/ HTTP/, `${query} HTTP`) }
}

const assets = [
  '/assets/app.4f2a.js',
  '/assets/style.css?v=3',
  '/img/logo.svg',
  '/fonts/inter.woff2',
  '/favicon.ico',
  '/robots.txt',
  '/sitemap.xml',
  '/llms.txt',
  '/search-index.json',
]

export const spellings: readonly ((path: string, folder: string) => string)[] = [
  path => path,
  path => path,
  path => path,
  (_, folder) => `${folder}/`,
  (_, folder) => `${folder}/index.html`,
  (_, folder) => `${folder || '/index'}.html`,
  path => `${path}?utm_source=newsletter&page=2`,
  path => `https://docs.example.com${path}`,
]

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Writes an instant as `20/Nov/2026:10:11:12 +0000` */
export function toLogDate(atMs: number, offsetMinutes: number): string {
  const [date = '', time = ''] = new Date(atMs + offsetMinutes * 60_000).toISOString().slice(0, 19).split('T')
  const [year, month, day] = date.split('-')
  const minutes = Math.abs(offsetMinutes)
  const offset = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0')
  return `${day}/${months[Number(month) - 1]}/${year}:${time} ${offsetMinutes < 0 ? '-' : '+'}${offset}`
}

function spoil(line: string, random: Random): string {
  return pick(
    [
      () => '',
      () => line.slice(0, Math.floor(line.length * 0.6)),
      () => '\x16\x03\x01\x02\x00\x01\x00\x7f\xff',
      () => line.replace(/\[\d+\/\w+/, '[30/Feb'),
      () => line.replace(/\/\d{4}:/, '/1999:'),
      () => line.replace(/ "[^"]*" "[^"]*"$/, ''),
      () => line.replace(/"[A-Z]+ [^"]*"/, `"GET /${'a'.repeat(3000)} HTTP/1.1"`),
      () => line.replace(/"[A-Z]+ [^"]*"/, '"GET /a\\x00b HTTP/1.1"'),
    ],
    random,
  )()
}

function toAgents(kind: 'human' | 'ai' | 'neither', text: string) {
  return text.split('\n').map(userAgent => ({ kind, userAgent }))
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T
}

/** Picks the n-th item with a probability that is proportional to 1/n. */
export function createZipf<T>(items: readonly T[], random: Random): () => T {
  let total = 0
  const upTo = Float64Array.from(items, (_, i) => (total += 1 / (i + 1)))
  return () => {
    const at = random() * total
    let [low, high] = [0, items.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] as number) < at) low = middle + 1
      else high = middle
    }
    return items[low] as T
  }
}

/** Creates random numbers in [0, 1) from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
