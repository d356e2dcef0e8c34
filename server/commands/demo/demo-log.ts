import type { Day } from '../../analytics/day.ts'
import { dayMs } from '../../base/day-ms.ts'
import {
  type AccessLogOptions,
  agentsOf,
  createRandom,
  createZipf,
  pick,
  type Random,
  refer,
  spellings,
  toAddress,
  toLogDate,
} from './access-log.ts'

/** What happened on a site. */
export interface SiteStory {
  /** Later lines are not written yet. */
  untilMs: number
  /** More people come on this day, and on the days after it. */
  releaseDay: Day
  /** The path of a page that often has a server error on the day of the release and on the next one. */
  failing: string
  /** The path of a page that is gone since the release. */
  removed: string
  /** The page that replaced the removed one. Since this day, few follow old links to the removed one. */
  replacement: { path: string; since: Day }
}

const hourMs = dayMs / 24
/** From Sunday to Saturday. */
const weekdays = [0.38, 0.96, 1.06, 1.1, 1.02, 0.86, 0.42]
const afterRelease = [2.2, 1.5, 1.2]

/** How many people come in an hour, compared with others. Programs come at all hours alike. */
function weighPeople(day: Day, hour: number, releaseDay: Day): number {
  // 1970-01-01 was a Thursday.
  const weekday = weekdays[(day + 4) % 7] as number
  const daylight = 0.35 + 1.3 * Math.max(0, Math.sin((Math.PI * (hour - 5)) / 18))
  const chance = 1 + 0.12 * Math.sin(12.9 * day)
  return weekday * daylight * chance * (afterRelease[day - releaseDay] ?? 1)
}

/** An instant of the log, and which part of its requests people make. */
interface Moment {
  atMs: number
  people: number
}

/**
 * Spreads lines over days so that weekdays and days differ, in order of time.
 *
 * @param usual the part of the requests that people make on average
 * @return the moment of a line, whose number may have a fraction; the numbers must not fall
 */
function spreadOverDays(
  { lines, from, to, usual }: { lines: number; from: Day; to: Day; usual: number },
  releaseDay: Day,
): (line: number) => Moment {
  const hours = Array.from({ length: (to - from) * 24 }, (_, index) => {
    const people = usual * weighPeople(from + Math.floor(index / 24), index % 24, releaseDay)
    return { people, all: people + 1 - usual }
  })
  const perLine = hours.reduce((sum, { all }) => sum + all, 0) / lines
  let [hour, before] = [0, 0]
  return line => {
    const at = line * perLine
    for (let all = hours[hour]?.all; all !== undefined && before + all < at && hour < hours.length - 1; ) {
      before += all
      all = hours[++hour]?.all
    }
    const { people, all } = hours[hour] as { people: number; all: number }
    const part = Math.min(0.999_999, (at - before) / all)
    return { atMs: from * dayMs + Math.floor((hour + part) * hourMs), people: people / all }
  }
}

/** How many requests the agents of a list make, compared with each other, and from how many addresses. */
const appetites = {
  ai: {
    requests: [24, 22, 8, 18, 11, 4, 6, 3, 3, 1],
    addresses: [24, 140, 30, 38, 72, 12, 44, 9, 16, 3],
  },
  neither: {
    requests: [30, 18, 5, 10, 8, 3, 2, 10, 6, 4, 2, 2],
    addresses: [60, 34, 9, 14, 11, 8, 5, 2, 21, 12, 6, 15],
  },
}

/** Each agent as often as it makes requests. */
const turns = {
  ai: appetites.ai.requests.flatMap((requests, agent) => Array<number>(requests).fill(agent)),
  neither: appetites.neither.requests.flatMap((requests, agent) => Array<number>(requests).fill(agent)),
}

/**
 * Generates the access log of the demo: more readers on weekdays than on weekends and most after a release, agents of which each reads
 * as much as it usually does, one page that fails, and one that is replaced and later gone. The same options give the same lines.
 */
export function* generateDemoLog(options: AccessLogOptions & { story: SiteStory }): Generator<string> {
  const { seed, lines, from, to, story } = options
  const random = createRandom(seed)
  const pickPage = createZipf(options.paths, random)
  const findMoment = spreadOverDays({ lines, from, to, usual: 0.6 }, story.releaseDay)
  for (let line = 0; line < lines; line++) {
    const { atMs, people } = findMoment(line + random())
    if (atMs > story.untilMs) return
    const kind = random() < people ? 'human' : random() < 0.5 ? 'ai' : 'neither'
    const { address, userAgent } = pickVisitor(kind, Math.round(lines / 12), random)
    const { target, status } = pickRequest(
      kind,
      { path: findPage(pickPage(), atMs, story, random), atMs },
      story,
      random,
    )
    const { referrer, request } = refer(kind, `GET ${target} HTTP/2.0`, random())
    const write = (request: string, status: number, seconds: number) => {
      const size = status === 304 ? '-' : String(500 + Math.floor(random() * 60_000))
      return `${address} - - [${toLogDate(atMs + seconds * 1000, 0)}] "${request}" ${status} ${size} "${referrer}" "${userAgent}"`
    }
    yield write(request, status, 0)
    // The browser of a person also loads what the page needs, unless its cache has it.
    if (kind === 'human' && random() < 0.85) {
      line++
      yield write(`GET ${pick(files.human, random)} HTTP/2.0`, 200, 1)
    }
  }
}

type Kind = 'human' | keyof typeof appetites

function pickVisitor(kind: Kind, readers: number, random: Random): { address: string; userAgent: string } {
  const agents = agentsOf.get(kind) ?? []
  if (kind === 'human') {
    // Squared, so that some readers return on most days and many come only once.
    const reader = Math.floor(readers * random() ** 2)
    return { address: toAddress(reader), userAgent: agents[reader % agents.length]?.userAgent ?? '-' }
  }
  const agent = turns[kind][Math.floor(random() * turns[kind].length)] as number
  const host = 1000 * agent + Math.floor(random() * (appetites[kind].addresses[agent] as number))
  return { address: toAddress(1_000_000_000 + host), userAgent: agents[agent]?.userAgent ?? '-' }
}

/** Before a page was replaced, its readers read the page that was there. */
function findPage(path: string, atMs: number, { releaseDay, removed, replacement }: SiteStory, random: Random): string {
  const day = Math.floor(atMs / dayMs)
  if (path !== replacement.path || day >= releaseDay) return path
  return day < replacement.since || random() < 0.08 ? removed : path
}

const files = {
  human: ['/assets/app.4f2a.js', '/assets/style.css?v=3', '/fonts/inter.woff2'],
  ai: ['/robots.txt', '/sitemap.xml', '/llms.txt'],
  neither: ['/robots.txt', '/robots.txt', '/sitemap.xml'],
}
/** How often a visitor requests a file alone. */
const fileShare = { human: 0.002, ai: 0.06, neither: 0.1 }
const markdownShare = { human: 0.004, ai: 0.2, neither: 0 }
const statuses = [200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 304, 304, 304, 206]

function pickRequest(
  kind: Kind,
  { path, atMs }: { path: string; atMs: number },
  { releaseDay, failing, removed }: SiteStory,
  random: Random,
): { target: string; status: number } {
  const since = Math.floor(atMs / dayMs) - releaseDay
  if (since >= 0 && random() < 0.01) return { target: removed, status: 404 }
  if (path === failing && (since === 0 || since === 1) && random() < 0.6) return { target: path, status: 500 }
  const status = pick(statuses, random)
  if (random() < fileShare[kind]) return { target: pick(files[kind === 'human' ? 'ai' : kind], random), status }
  const folder = path === '/' ? '' : path
  if (random() < markdownShare[kind]) return { target: `${folder || '/index'}.md`, status }
  return { target: pick(spellings, random)(path, folder), status }
}
