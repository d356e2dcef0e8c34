import { closeSync, openSync, writeSync } from 'node:fs'
import { type AgentKind, agents } from './agents.ts'
import { LogDate } from './log-date.ts'
import { Random } from './random.ts'
import { asset, Traffic, type TrafficPlan } from './traffic.ts'
import type { Truth } from './truth.ts'

/** Counts of the written lines: lines = views + filtered + malformed. */
export interface LogTally {
  lines: number
  bytes: number
  views: Record<AgentKind, number>
  /** Requests that are not page views. */
  filtered: number
  malformed: number
}

const chunkBytes = 1 << 20
const longestLine = 16 * 1024
const daySeconds = 86_400
const malformedShare = 0.002

// Not shared with the demo, so that changes to the demo do not change the benchmark.
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

/** Forms of the address of a page. Frequent forms are repeated. */
const spellings: readonly ((path: string, folder: string) => string)[] = [
  path => path,
  path => path,
  path => path,
  path => path,
  (_, folder) => `${folder}/`,
  (_, folder) => `${folder}/index.html`,
  (_, folder) => `${folder || '/index'}.html`,
  path => `${path}?utm_source=newsletter&page=2`,
  path => `${path}?q=caf%C3%A9`,
  path => `https://docs.example.com${path}`,
]
const markdown = (_: string, folder: string) => `${folder || '/index'}.md`

const referrers = ['-', '-', '-', 'https://www.example.com/search?q=docs', 'https://docs.example.com/'].map(bytesOf)

/**
 * Writes a combined access log of the traffic of a plan. Records the generated visits in `truth` without reading the lines.
 * Some lines are malformed; these are not visits.
 */
export function writeAccessLog(file: string, plan: TrafficPlan, paths: readonly string[], truth: Truth): LogTally {
  const traffic = new Traffic(plan)
  const random = new Random(plan.seed + 1)
  const tally: LogTally = { lines: 0, bytes: 0, views: { human: 0, ai: 0, neither: 0 }, filtered: 0, malformed: 0 }
  const line = new LineWriter(traffic, random, paths)
  const bytes = Buffer.allocUnsafe(chunkBytes + longestLine)
  const log = openSync(file, 'w')
  let at = 0
  const flush = () => {
    for (let done = 0; done < at; ) done += writeSync(log, bytes, done, at - done)
    tally.bytes += at
    at = 0
  }
  try {
    while (traffic.next()) {
      const end = line.write(bytes, at)
      tally.lines++
      if (random.next() < malformedShare) {
        at += spoil(bytes, at, end, random)
        tally.malformed++
      } else {
        at = end
        record(traffic, tally, truth)
      }
      bytes[at++] = 0x0a
      if (at >= chunkBytes) flush()
    }
    flush()
  } finally {
    closeSync(log)
  }
  return tally
}

/** A page view is a GET of a page with 2xx or 304. A Markdown view counts as its user agent does. */
function record(traffic: Traffic, tally: LogTally, truth: Truth): void {
  const { status, target, method } = traffic
  const isFound = status === 200 || status === 304 || status === 206
  if (target === asset || method !== 'GET' || !isFound) {
    tally.filtered++
    return
  }
  const { kind } = traffic
  tally.views[kind]++
  if (kind === 'neither') return
  truth.add(traffic.visitor, target, Math.floor(traffic.atSecond / daySeconds), kind === 'ai')
}

/** Composes log lines from bytes that are created once. */
class LineWriter {
  readonly #traffic: Traffic
  readonly #random: Random
  readonly #date = new LogDate()
  readonly #agents = agents.map(({ userAgent }) => bytesOf(`"${userAgent}"`))
  readonly #assets = assets.map(path => bytesOf(`GET ${path} HTTP/2.0`))
  readonly #pages: Uint8Array[][]
  readonly #markdown: Uint8Array[]
  readonly #posts = bytesOf('POST /api/feedback HTTP/1.1')
  readonly #heads = bytesOf('HEAD / HTTP/1.1')

  constructor(traffic: Traffic, random: Random, paths: readonly string[]) {
    this.#traffic = traffic
    this.#random = random
    const request = (spell: (path: string, folder: string) => string, path: string) =>
      bytesOf(`GET ${spell(path, path === '/' ? '' : path)} HTTP/${spell === spellings.at(-1) ? '1.1' : '2.0'}`)
    this.#pages = spellings.map(spell => paths.map(path => request(spell, path)))
    this.#markdown = paths.map(path => request(markdown, path))
  }

  write(bytes: Uint8Array, from: number): number {
    const { sources, visitor, atSecond, status } = this.#traffic
    let at = sources.writeAddress(visitor, bytes, from)
    at = put(beforeDate, bytes, at)
    at = this.#date.write(atSecond, bytes, at)
    at = put(afterDate, bytes, at)
    at = put(this.#request(), bytes, at)
    bytes[at++] = 0x22
    bytes[at++] = 0x20
    at = putNumber(status, bytes, at)
    bytes[at++] = 0x20
    if (status === 304) bytes[at++] = 0x2d
    else at = putNumber(500 + this.#random.below(60_000), bytes, at)
    bytes[at++] = 0x20
    bytes[at++] = 0x22
    at = put(pick(referrers, this.#random), bytes, at)
    bytes[at++] = 0x22
    bytes[at++] = 0x20
    return put(this.#agents[sources.agentOf(visitor)] as Uint8Array, bytes, at)
  }

  #request(): Uint8Array {
    const { method, target, asMarkdown } = this.#traffic
    if (method === 'POST') return this.#posts
    if (method === 'HEAD') return this.#heads
    if (target === asset) return pick(this.#assets, this.#random)
    if (asMarkdown) return this.#markdown[target] as Uint8Array
    return pick(this.#pages, this.#random)[target] as Uint8Array
  }
}

const beforeDate = bytesOf(' - - [')
const afterDate = bytesOf('] "')

/** Corrupts the line in `bytes` from `start` up to `end`; returns its new length. */
function spoil(bytes: Buffer, start: number, end: number, random: Random): number {
  const line = bytes.toString('latin1', start, end)
  const spoiled = pick(
    [
      () => '',
      () => line.slice(0, 40),
      () => '\x16\x03\x01\x02\x00\x01\x00\x7f\xff',
      () => line.replace(/\[\d+\/\w+/, '[30/Feb'),
      () => line.replace(/\/\d{4}:/, '/1999:'),
      () => line.replace(/ "[^"]*" "[^"]*"$/, ''),
      () => line.replace(/"[A-Z]+ [^"]*" \d+/, `"GET /${'a'.repeat(3000)} HTTP/1.1" 200`),
      () => line.replace(/"[A-Z]+ [^"]*" \d+/, '"GET /a\\x00b HTTP/1.1" 200'),
    ],
    random,
  )()
  return bytes.write(spoiled, start, 'latin1')
}

function put(part: Uint8Array, bytes: Uint8Array, at: number): number {
  bytes.set(part, at)
  return at + part.length
}

function putNumber(value: number, bytes: Uint8Array, from: number): number {
  let at = from
  for (let unit = value >= 10_000 ? 10_000 : value >= 1000 ? 1000 : 100; unit >= 1; unit /= 10) {
    bytes[at++] = 0x30 + (Math.floor(value / unit) % 10)
  }
  return at
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[random.below(items.length)] as T
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
