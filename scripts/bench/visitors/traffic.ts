import type { AgentKind } from './agents.ts'
import { createZipf, Random } from './random.ts'
import { Sources } from './sources.ts'

/** The kind and amount of traffic to generate. */
export interface TrafficPlan {
  /** The same plan gives the same requests. */
  seed: number
  requests: number
  pages: number
  /** Days since 1970-01-01 in UTC; `to` is exclusive. */
  from: number
  to: number
  /** Whether to generate only page views of visitors with status 200, without assets, errors or classic bots. */
  viewsOnly: boolean
}

/** Values of `Traffic.target` for requests that are not for pages; pages are numbered from 0. */
export const asset = -1

const daySeconds = 86_400

/**
 * Generates the requests to a documentation site in a year. In a session, a person requests a few pages with their assets.
 * Most people have one session, some return over weeks, and a few return during the whole year. Assistants fetch single pages
 * from many addresses. AI crawlers and classic bots read all pages repeatedly. Working days, daytime and later months have more
 * traffic.
 * Some requests are logged up to 25 hours late.
 */
export class Traffic {
  readonly sources: Sources
  /** Time of the last request from `next`, in seconds since 1970. */
  atSecond = 0
  visitor = 0
  kind: AgentKind = 'human'
  target = 0
  asMarkdown = false
  status = 200
  method: 'GET' | 'HEAD' | 'POST' = 'GET'

  readonly #plan: TrafficPlan
  readonly #random: Random
  readonly #pickPage: () => number
  readonly #dayEnds: Float64Array
  #made = 0
  #day = 0

  readonly #sessionVisitor: Uint32Array
  readonly #sessionPage: Uint32Array
  readonly #pagesLeft: Uint16Array
  readonly #assetsLeft: Uint16Array
  readonly #crawlerPage: Uint32Array
  /** Number of people who return during the whole year. */
  readonly #regulars: number
  #people: number

  constructor(plan: TrafficPlan) {
    this.#plan = plan
    this.#random = new Random(plan.seed)
    this.#pickPage = createZipf(plan.pages, this.#random)
    this.#dayEnds = spreadOverDays(plan)
    this.sources = new Sources(Math.min(500_000, Math.max(100, Math.round(plan.requests / 1000))))
    // Sessions last a few minutes, so only a few are open at the same time.
    const sessions = Math.min(4096, Math.max(8, Math.round((plan.requests / (plan.to - plan.from)) * 0.0006)))
    this.#sessionVisitor = new Uint32Array(sessions)
    this.#sessionPage = new Uint32Array(sessions)
    this.#pagesLeft = new Uint16Array(sessions)
    this.#assetsLeft = new Uint16Array(sessions)
    this.#crawlerPage = Uint32Array.from({ length: this.sources.crawlers }, () => this.#random.below(plan.pages))
    this.#regulars = Math.max(10, Math.round(plan.requests / 20_000))
    this.#people = this.#regulars
  }

  /** Generates the next request. Returns false after the last one. */
  next(): boolean {
    const { requests, viewsOnly } = this.#plan
    if (this.#made >= requests) return false
    this.atSecond = this.#pickSecond()
    this.#made++
    const turn = this.#random.next()
    if (turn < (viewsOnly ? 0.72 : 0.75)) this.#takePerson()
    else if (viewsOnly || turn < 0.88) this.#takeAi()
    else this.#takeOther()
    this.asMarkdown = this.target !== asset && this.#random.next() < markdownShare[this.kind]
    this.#decide()
    return true
  }

  #pickSecond(): number {
    while (this.#made >= (this.#dayEnds[this.#day] as number)) this.#day++
    const start = this.#day === 0 ? 0 : (this.#dayEnds[this.#day - 1] as number)
    const share = (this.#made - start + this.#random.next()) / ((this.#dayEnds[this.#day] as number) - start)
    // There are fewer requests at night.
    const second = Math.floor((share - 0.08 * Math.sin(2 * Math.PI * share)) * daySeconds)
    const late = this.#random.next() < 0.005 ? this.#random.below(25 * 3600) : 0
    const atSecond = (this.#plan.from + this.#day) * daySeconds + Math.min(daySeconds - 1, Math.max(0, second)) - late
    return Math.max(this.#plan.from * daySeconds, atSecond)
  }

  #takePerson(): void {
    const session = this.#random.below(this.#sessionVisitor.length)
    this.kind = 'human'
    if ((this.#assetsLeft[session] as number) > 0) {
      this.#assetsLeft[session] = (this.#assetsLeft[session] as number) - 1
      this.target = asset
    } else if ((this.#pagesLeft[session] as number) > 0) {
      this.#pagesLeft[session] = (this.#pagesLeft[session] as number) - 1
      this.#turnPage(session, this.#random.next() < 0.5 ? this.#findNeighbour(session) : this.#pickPage(), 1)
    } else {
      this.#sessionVisitor[session] = this.#pickPerson()
      this.#pagesLeft[session] = Math.min(60, Math.floor(-Math.log(1 - this.#random.next()) * 2.4))
      this.#turnPage(session, this.#pickPage(), 4)
    }
    this.visitor = this.#sessionVisitor[session] as number
  }

  #turnPage(session: number, page: number, assets: number): void {
    this.#sessionPage[session] = page
    this.target = page
    if (!this.#plan.viewsOnly) this.#assetsLeft[session] = assets
  }

  #findNeighbour(session: number): number {
    return ((this.#sessionPage[session] as number) + 1 + this.#random.below(5)) % this.#plan.pages
  }

  /** Picks the visitor of the next session: a new visitor, a regular one, or an earlier one (recent ones more often). */
  #pickPerson(): number {
    const turn = this.#random.next()
    if (turn < 0.65) return this.sources.firstPerson + this.#people++
    if (turn < 0.8) return this.sources.firstPerson + this.#random.below(this.#regulars)
    const back = this.#random.next() ** 3
    return this.sources.firstPerson + this.#people - 1 - Math.floor(back * this.#people)
  }

  #takeAi(): void {
    this.kind = 'ai'
    if (this.#random.next() < 0.4) {
      this.visitor = Math.floor(this.#random.next() ** 2 * this.sources.assistants)
      this.target = this.#pickPage()
    } else {
      const crawler = Math.floor(this.#random.next() ** 2 * this.sources.crawlers)
      const page = this.#crawlerPage[crawler] as number
      this.#crawlerPage[crawler] = (page + 1) % this.#plan.pages
      this.visitor = this.sources.assistants + crawler
      this.target = page
    }
    if (!this.#plan.viewsOnly && this.#random.next() < 0.06) this.target = asset
  }

  #takeOther(): void {
    this.kind = 'neither'
    this.visitor = this.sources.assistants + this.sources.crawlers + this.#random.below(this.sources.others)
    this.target = this.#random.next() < 0.1 ? asset : this.#pickPage()
  }

  #decide(): void {
    this.method = 'GET'
    this.status = 200
    if (this.#plan.viewsOnly) return
    const turn = this.#random.next()
    if (turn < 0.01) this.method = 'HEAD'
    else if (turn < 0.02) this.method = 'POST'
    else this.status = statuses[Math.floor(((turn - 0.02) / 0.98) * statuses.length)] as number
  }
}

const markdownShare = { human: 0.004, ai: 0.3, neither: 0.002 }
const statuses = [...Array(85).fill(200), ...Array(6).fill(304), 404, 404, 404, 404, 301, 301, 206, 403, 500]

/** Returns the number of requests until the end of each day. Working days and the last month have twice as many as others. */
function spreadOverDays({ from, to, requests }: TrafficPlan): Float64Array {
  const days = to - from
  let sum = 0
  const ends = Float64Array.from({ length: days }, (_, i) => {
    const weekday = (from + i + 4) % 7 // 1970-01-01 was a Thursday; 0 = Sunday
    sum += (weekday === 0 || weekday === 6 ? 0.5 : 1) * (1 + i / days)
    return sum
  })
  return ends.map((end, i) => (i === days - 1 ? requests : Math.round((end / sum) * requests)))
}
