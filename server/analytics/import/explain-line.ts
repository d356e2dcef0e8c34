import type { Kind } from '../agents/agent-list.ts'
import { explainUserAgent, type UserAgentExplanation } from '../agents/explain-user-agent.ts'
import { formatDay, toDay } from '../day.ts'
import { findClient } from '../formats/address.ts'
import { detectFormat, formats } from '../formats/formats.ts'
import { emptyLogLine, type LineParser, type LogFormat } from '../formats/log-format.ts'
import { type Page, toPage } from '../page.ts'
import { longestLineBytes } from './line-splitter.ts'
import { isFound, isPossible, markdownRuleName } from './page-view.ts'

/** What an import makes of one line, and why. */
export interface LineExplanation {
  /** The format it was read as; null when it is in none that is known. */
  format: string | null
  /** Each decision in the order it is made, up to the one that ends it. */
  steps: LineStep[]
  /** A page view, or the name of the count that the line adds to instead: `filtered: asset`. */
  countsAs: 'page view' | `filtered: ${string}` | `malformed: ${string}`
  /** Of a page view. */
  kind?: Kind
  rule?: string
  page?: string
  day?: string
  userAgent?: UserAgentExplanation
}

/** One decision about a line, in words for people. */
export interface LineStep {
  step: 'format' | 'date' | 'host' | 'method' | 'status' | 'page' | 'client' | 'who'
  told: string
}

export interface LineExplainerOptions {
  /** Told by the lines themselves when it is missing. */
  format?: LogFormat | undefined
  clientField?: string | undefined
  trustedProxies?: number | undefined
  /** Milliseconds since 1970. */
  now: number
}

const refusals: Record<NonNullable<Page['refusal']>, string> = {
  asset: 'is no page but a file that belongs to one, by its ending or its folder',
  'machine-file': 'is a file that programs read: rules for crawlers, a feed, a manifest, data',
  'bad-path': 'is no path: too long, with a control character, or not starting with a slash',
}

/** Takes the lines of one log as `LogReader` does, and says why instead of counting. */
export class LineExplainer {
  readonly #options: LineExplainerOptions
  readonly #line = emptyLogLine()
  #format: LogFormat | undefined
  #parser: LineParser | undefined

  /** @throws {LogFormatError} when format and client field do not go together; so does `explain`. */
  constructor(options: LineExplainerOptions) {
    this.#options = options
    if (options.format) this.#useFormat(options.format)
  }

  explain(text: string): LineExplanation {
    const bytes = Buffer.from(text.replace(/^\ufeff/, ''))
    if (bytes.length > longestLineBytes) {
      const told = `${bytes.length} bytes: longer than ${longestLineBytes}, which no request is`
      return { format: this.#format?.name ?? null, steps: [{ step: 'format', told }], countsAs: 'malformed: too-long' }
    }
    if (!this.#parser) {
      const format = detectFormat(bytes, 0, bytes.length)
      if (format) this.#useFormat(format)
    }
    const explanation: LineExplanation = { format: this.#format?.name ?? null, steps: [], countsAs: 'page view' }
    explanation.countsAs = this.#explainRequest(bytes, explanation)
    return explanation
  }

  #useFormat(format: LogFormat): void {
    this.#format = format
    this.#parser = format.open({ clientField: this.#options.clientField })
  }

  #explainRequest(bytes: Buffer, explanation: LineExplanation): LineExplanation['countsAs'] {
    const line = this.#line
    const parser = this.#parser
    const tell = (step: LineStep['step'], told: string) => explanation.steps.push({ step, told })
    const parsed = parser?.parse(bytes, 0, bytes.length, line)
    if (!parser || parsed === 'malformed') {
      const names = formats.map(({ name }) => name).join(', ')
      tell('format', this.#format ? `not in the format ${this.#format.name}` : `in no format that is known (${names})`)
      return 'malformed: wrong-format'
    }
    tell('format', `${this.#format?.name}`)
    if (parsed === 'comment') return 'filtered: comment'
    if (!isPossible(line.atMs, this.#options.now)) {
      tell(
        'date',
        Number.isNaN(line.atMs) ? 'none of the calendar' : `${toInstant(line.atMs)}: before 2000, or over a day ahead`,
      )
      return 'malformed: bad-date'
    }
    explanation.day = formatDay(toDay(line.atMs))
    tell('date', `${toInstant(line.atMs)}, the day ${explanation.day} of UTC`)
    if (line.hostEnd > line.hostStart) {
      tell(
        'host',
        `${cut(line.bytes, line.hostStart, line.hostEnd)}: with --by-host a site has to have it as its domain`,
      )
    }
    if (!line.isGet) {
      tell('method', 'not a GET')
      return 'filtered: method'
    }
    tell('method', 'GET')
    const isAnswered = isFound(line.status)
    tell('status', `${line.status}${isAnswered ? '' : ': neither 2xx nor 304'}`)
    return isAnswered ? this.#explainPage(parser, explanation) : 'filtered: status'
  }

  #explainPage(parser: LineParser, explanation: LineExplanation): LineExplanation['countsAs'] {
    const { bytes, targetStart, targetEnd } = this.#line
    const target = parser.decodeTarget(bytes.toString('latin1', targetStart, targetEnd))
    const page = toPage(target)
    if (page.refusal !== undefined) {
      explanation.steps.push({ step: 'page', told: `${cut(bytes, targetStart, targetEnd)} ${refusals[page.refusal]}` })
      return page.refusal === 'bad-path' ? 'malformed: bad-path' : `filtered: ${page.refusal}`
    }
    explanation.page = page.path
    const markdown = page.isMarkdown ? ', as Markdown: AI, whoever asks for it' : ''
    explanation.steps.push({ step: 'page', told: `${page.path}${markdown}` })
    this.#explainWho(parser, page.isMarkdown, explanation)
    return 'page view'
  }

  #explainWho(parser: LineParser, isMarkdown: boolean, explanation: LineExplanation): void {
    const { bytes, userAgentStart, userAgentEnd } = this.#line
    explanation.steps.push({ step: 'client', told: this.#explainClient(parser) })
    const told = explainUserAgent(parser.decodeHeader(bytes.toString('latin1', userAgentStart, userAgentEnd)))
    const isMarkdownVisit = isMarkdown && told.kind !== 'ai'
    explanation.userAgent = told
    explanation.kind = isMarkdownVisit ? 'ai' : told.kind
    explanation.rule = isMarkdownVisit ? markdownRuleName : told.rule
    explanation.steps.push({ step: 'who', told: told.why })
  }

  #explainClient(parser: LineParser): string {
    const { bytes, addressStart, addressEnd, clientStart, clientEnd } = this.#line
    const peer = cut(bytes, addressStart, addressEnd)
    if (this.#options.clientField === undefined) return `${peer}, the peer`
    const list = parser.decodeHeader(bytes.toString('latin1', clientStart, clientEnd))
    const client = findClient(list, this.#options.trustedProxies)
    return client === undefined
      ? `${peer}, the peer: the client field names no address`
      : `${client}, of the client field`
  }
}

function cut(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end)
}

function toInstant(atMs: number): string {
  return new Date(atMs).toISOString()
}
