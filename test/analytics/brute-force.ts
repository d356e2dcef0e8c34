// Counts unique visitors the naive way, to check the count of Quire. It follows the same published definitions as
// server/analytics, but shares no code, and takes the kind of a user agent from a table instead of a classifier.
//
//   node test/analytics/brute-force.ts LOG TRUTH.json RANGES.json
//
// TRUTH.json: {"user agent": "human" | "ai NAME" | "neither RULE"}. RANGES.json: [["2026-11-01", "2026-11-08"], ...], the second
// date exclusive. Prints [{human, ai, total, pages: {path: [human, ai, total]}, labels: {label: visitors}}, ...], one for each
// range.
import { readFileSync } from 'node:fs'

export interface BruteCount {
  human: number
  ai: number
  total: number
  pages: Record<string, [human: number, ai: number, total: number]>
  /** Agents and their classes, rules of programs, files for AI, referrals, and pages that failed. */
  labels: Record<string, number>
}

/** Returns the labels that are counted here. That of loaded parts is a hint, which depends on where a log was split. */
export function toExactLabels(labels: ReadonlyMap<string, number>): BruteCount['labels'] {
  return Object.fromEntries([...labels].filter(([label]) => label !== 'loaded:'))
}

interface Visit {
  date: string
  who: string
  /** Undefined unless it is a page view of people or AI. */
  path: string | undefined
  isAi: boolean
  labels: string[]
}

const linePattern =
  /^([!-~]{1,255}) .*?\[(\d\d)\/([A-Z][a-z][a-z])\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"/s
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const noPages = /\.(js|css|svg|woff2|ico|txt|xml|json)$/
const assistants: Record<string, string> = {
  'chatgpt.com': 'chatgpt.com',
  'chat.openai.com': 'chatgpt.com',
  'perplexity.ai': 'perplexity.ai',
  'www.perplexity.ai': 'perplexity.ai',
  'claude.ai': 'claude.ai',
  'gemini.google.com': 'gemini.google.com',
}

/** The classes of the agents of the demo, written by hand. */
const classes: Record<string, string> = {
  'ChatGPT-User': 'assistant',
  'Claude-User': 'assistant',
  'Perplexity-User': 'assistant',
  'OAI-SearchBot': 'search',
  PerplexityBot: 'search',
  GPTBot: 'training',
  ClaudeBot: 'training',
  'Meta-ExternalAgent': 'training',
  CCBot: 'training',
  Amazonbot: 'training',
}

export function countByBruteForce(
  lines: Iterable<string>,
  truth: Record<string, string>,
  ranges: readonly (readonly [string, string])[],
  now: number,
): BruteCount[] {
  const visits: Visit[] = []
  for (const line of lines) {
    const visit = readVisit(line, truth, now)
    if (visit) visits.push(visit)
  }
  return ranges.map(([from, to]) => countRange(visits.filter(({ date }) => date >= from && date < to)))
}

function readVisit(line: string, truth: Record<string, string>, now: number): Visit | undefined {
  const match = linePattern.exec(line)
  if (!match) return undefined
  const [, address, day, monthName, year, time, offsetHours, offsetMinutes, request, status, referrer, userAgent] =
    match
  const month = String(monthNames.indexOf(monthName ?? '') + 1).padStart(2, '0')
  const local = new Date(`${year}-${month}-${day}T${time}Z`)
  if (Number.isNaN(local.getTime()) || local.getUTCDate() !== Number(day)) return undefined
  const at = new Date(`${year}-${month}-${day}T${time}${offsetHours}:${offsetMinutes}`)
  if (at.getTime() < Date.parse('2000-01-01') || at.getTime() > now + 24 * 3600 * 1000) return undefined

  const target = /^GET (\S+) HTTP\/[\d.]+$/.exec(request ?? '')?.[1]
  const failure = /^(404|410)$/.test(status ?? '') ? 'missing' : /^5\d\d$/.test(status ?? '') ? 'broken' : undefined
  if (target === undefined || (!failure && !/^(2\d\d|304)$/.test(status ?? ''))) return undefined
  const url = new URL(target, 'http://site')
  if (url.pathname.length > 2048 || target.includes('\\x00')) return undefined
  const [, ofAgent, name] = /^(\w+) ?(.*)$/.exec(truth[userAgent ?? ''] ?? '') ?? []
  if (ofAgent === undefined) throw new Error(`The table does not know the user agent ${userAgent}`)
  const visit = {
    date: at.toISOString().slice(0, 10),
    who: `${toSubscriber(address as string)} ${userAgent}`,
    path: undefined,
    isAi: false,
  }
  if (url.pathname.endsWith('/llms.txt') && !failure) {
    return { ...visit, labels: [`file:${ofAgent}:llms.txt`, ...(ofAgent === 'ai' ? [`read:llms.txt:${name}`] : [])] }
  }
  if (noPages.test(url.pathname)) return undefined

  const kind = ofAgent
  const parts = url.pathname
    .replace(/\.(html|md)$/, '')
    .split('/')
    .filter(Boolean)
  if (parts.at(-1) === 'index') parts.pop()
  const path = `/${parts.join('/')}`
  const host = referrer === '-' ? url.searchParams.get('utm_source') : new URL(referrer ?? '').hostname
  const site = assistants[host ?? '']
  if (failure) {
    const from = kind === 'ai' ? name : (site ?? (referrer === '-' ? '' : host?.replace(/^www\./, '')))
    const all = `failed:${kind}:${failure}`
    const failures = [all, all + path, ...(from ? [`${all}${path} ${from}`] : [])]
    return kind === 'neither' ? undefined : { ...visit, labels: failures }
  }
  const labels = url.pathname.endsWith('.md') ? [`file:${kind}:Markdown`] : []
  if (kind === 'neither') return { ...visit, labels: [...labels, `neither:${name}`] }
  if (kind === 'ai' && labels.length > 0) labels.push(`read:Markdown:${name}`)
  if (kind === 'ai') labels.push(`agent:${name}`, `class:${classes[name ?? ''] ?? 'unknown'}`)
  if (kind === 'human') {
    if (site) labels.push('from:', `from:${site}`, `from:${site}${path}`)
  }
  return { ...visit, path, isAi: kind === 'ai', labels }
}

function countRange(visits: readonly Visit[]): BruteCount {
  const views = visits.filter(({ path }) => path !== undefined)
  const pages = Map.groupBy(views, ({ path }) => path ?? '')
  const labels = Map.groupBy(
    visits.flatMap(({ who, labels }) => labels.map(label => ({ who, label }))),
    ({ label }) => label,
  )
  const [human, ai, total] = countWho(views)
  return {
    human,
    ai,
    total,
    pages: Object.fromEntries([...pages].map(([path, visitsOfPage]) => [path, countWho(visitsOfPage)])),
    labels: Object.fromEntries([...labels].map(([label, found]) => [label, new Set(found.map(({ who }) => who)).size])),
  }
}

function countWho(visits: readonly Visit[]): [human: number, ai: number, total: number] {
  const people = new Set(visits.filter(({ isAi }) => !isAi).map(({ who }) => who))
  const machines = new Set(visits.filter(({ isAi }) => isAi).map(({ who }) => who))
  return [people.size, machines.size, new Set([...people, ...machines]).size]
}

if (import.meta.main) {
  const [log = '', truth = '', ranges = ''] = process.argv.slice(2)
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const lines = readFileSync(log, 'latin1').split('\n')
  console.log(JSON.stringify(countByBruteForce(lines, read(truth), read(ranges), Date.now())))
}

/** Returns the first four groups of an IPv6 address, and an IPv4 address as it is. */
function toSubscriber(address: string): string {
  if (!address.includes(':')) return address
  const [left = '', right = ''] = address.split('::')
  const [first, last] = [left, right].map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array<string>(8 - (first?.length ?? 0) - (last?.length ?? 0)).fill('0')
  const groups = [...(first ?? []), ...zeros, ...(last ?? [])].slice(0, 4)
  return groups.map(group => Number.parseInt(group, 16)).join(':')
}
