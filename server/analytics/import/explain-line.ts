import { newVisitorRules, type OwnAgentList, type VisitorRules } from '../../tenancy/project.ts'
import type { Kind } from '../agents/agent-list.ts'
import { classify } from '../agents/classify.ts'
import type { UserAgentExplanation } from '../agents/explain-user-agent.ts'
import { formatDay, toDay } from '../day.ts'
import {
  type Dialect,
  type DialectSettings,
  detectDialectOfLine,
  nameDialect,
  openDialect,
} from '../envelopes/detect-dialect.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import { type Ipv6Prefix, stripAddress } from '../formats/address.ts'
import { formats } from '../formats/formats.ts'
import { emptyLogLine, type LineParser, type LogFormat, readTarget } from '../formats/log-format.ts'
import { type Page, toPage } from '../page.ts'
import { explainVerdict } from './agent-addresses.ts'
import { Clients } from './clients.ts'
import { type LineCheck, LineDecider, type LineRefusal, lineChecks, lineRefusals } from './decide-line.ts'
import { maxLineBytes } from './line-reader.ts'
import { explainByOwn, explainOwnVerdict, isJudged } from './own-agents.ts'
import type { ProjectCounting } from './project-counting.ts'
import { Referrals } from './referrals.ts'
import { findRule } from './rules.ts'
import { isUnnamed, markdownView } from './user-agents.ts'
import { VerifiedRules } from './verified-rules.ts'
import { acceptsMarkdown } from './view-adder.ts'
import { toCounting, type VisitedProject } from './visited-projects.ts'

/** Explanation of how an import counts one line. */
export interface LineExplanation {
  /** The format of the line; null when it is in no known format. */
  format: string | null
  /** The envelope around the line, such as `syslog`; null when it has none. */
  envelope: string | null
  /** The checks in order, up to the one that decides. */
  steps: LineStep[]
  /** `page view`, or the name of the count that the line is added to instead, such as `filtered: asset`. */
  countsAs: 'page view' | `filtered: ${string}` | `malformed: ${string}`
  /** This field and the following ones are set for a page view. `day` is set for any line with a valid date. */
  kind?: Kind
  rule?: string
  page?: string
  day?: string
  userAgent?: UserAgentExplanation
}

/** One check of a line and its result in words. */
export interface LineStep {
  step: LineCheck | 'client' | 'who' | 'markdown' | 'operator' | 'referral'
  finding: string
}

export interface LineExplainerOptions {
  /** Detected from the lines when missing. */
  format?: LogFormat | undefined
  /** Detected from the lines when missing; `none` = the lines have none. */
  envelope?: Envelope | 'none' | undefined
  clientField?: string | undefined
  trustedProxies?: number | undefined
  /** See `LogSettings`. */
  markdownAsAi?: boolean | undefined
  ipv6Prefix?: Ipv6Prefix | undefined
  /** The project whose settings hold; missing = a new one. */
  project?: Pick<VisitedProject, 'visitorRules' | 'counting'> | undefined
  /** See `LogSettings`. */
  agents?: OwnAgentList | undefined
  /** Milliseconds since 1970. */
  now: number
}

const refusals: Record<NonNullable<Page['refusal']> | 'no-page' | 'own-address', string> = {
  asset: 'is an asset, not a page, by its extension or folder',
  'machine-file': 'is a file for programs: crawler rules, a feed, a manifest or data',
  'router-data': 'is data that the router of the site fetches, often before anybody opens the page',
  service: 'is a service for programs: MCP, search or a health check',
  'sent-view': 'tells which page was opened, but names no page, or was not answered with 204',
  scan: 'is what scanners look for: a hidden file, a backup, or a file of another system',
  'no-page': 'is no page of this project, see: npx quire projects set --help',
  'own-address': 'was opened from an own address of this project, see: npx quire projects set --help',
  'bad-path': 'is not a valid path: too long, contains a control character, or lacks a leading slash',
}

/** What a Markdown view by a program that no list names counts as, without and with the setting. */
const markdownFindings = [
  'no list names the program, so its Markdown views count as AI only with --markdown-as-ai',
  'no list names the program, and --markdown-as-ai counts its Markdown views as AI',
] as const

/** Reads the lines of one log as `LogReader` does, and explains them instead of counting them. */
export class LineExplainer {
  readonly #options: LineExplainerOptions
  readonly #line = emptyLogLine()
  readonly #clients: Clients
  readonly #referrals = new Referrals()
  readonly #verifiedRules = new VerifiedRules()
  /** Accepts every host, because only an import knows the projects. */
  readonly #decider = new LineDecider<true>({
    hasClient: line => this.#clients.has(line, this.#parser as LineParser),
    findProject: () => true,
    findPage: line => toPage(readTarget(line, this.#parser as LineParser)),
    readTarget: line => readTarget(line, this.#parser as LineParser),
    findOwnPages: () => this.#counting?.pages,
  })
  readonly #settings: DialectSettings
  readonly #rules: VisitorRules
  readonly #counting: ProjectCounting | undefined
  #dialect: Dialect | undefined
  #parser: LineParser | undefined
  #isSettled = false

  /** @throws {LogFormatError} when the format does not have the client field; `explain` throws it too. */
  constructor(options: LineExplainerOptions) {
    const { format, envelope, clientField } = options
    this.#options = options
    this.#settings = { format, envelope, clientField }
    this.#clients = new Clients(options)
    this.#rules = options.project?.visitorRules ?? newVisitorRules
    this.#counting = toCounting(options.project ?? {}, options.agents)
    if (format) this.#useDialect({ format, envelope: envelope === 'none' ? undefined : envelope })
    this.#isSettled = format !== undefined && envelope !== undefined
  }

  explain(text: string): LineExplanation {
    const bytes = Buffer.from(text.replace(/^\ufeff/, ''))
    if (bytes.length > maxLineBytes) {
      const finding = `${bytes.length} bytes: longer than ${maxLineBytes}, the limit for a line`
      return {
        ...this.#names,
        steps: [{ step: 'format', finding }],
        countsAs: 'malformed: too-long',
      }
    }
    if (!this.#isSettled) this.#settle(detectDialectOfLine(bytes, 0, bytes.length, this.#settings))
    const parsed = this.#parser?.parse(bytes, 0, bytes.length, this.#line)
    const refusal = this.#decider.decide(parsed, this.#line, this.#options.now) ?? this.#refuse()
    const checks = lineChecks.slice(0, refusal && lineChecks.indexOf(refusal.check) + 1)
    const explanation: LineExplanation = {
      ...this.#names,
      steps: checks.flatMap(step => {
        const finding = this.#explainCheck(step, refusal?.check === step ? refusal : undefined)
        return finding === undefined ? [] : [{ step, finding }]
      }),
      countsAs: refusal ? `${refusal.group}: ${refusal.name}` : 'page view',
    }
    if (checks.includes('date') && refusal?.check !== 'date') explanation.day = formatDay(toDay(this.#line.atMs))
    const { page } = this.#decider
    if (page && this.#parser && !refusal) {
      explanation.page = page.path
      this.#explainWho(this.#parser, page.isMarkdown, explanation)
    }
    return explanation
  }

  /** Returns why the project does not count a page view. */
  #refuse(): LineRefusal | undefined {
    const { page } = this.#decider
    if (!page || !this.#parser || !this.#counting) return undefined
    this.#clients.find(this.#line, this.#parser, this.#rules)
    return this.#counting.refuse(page.path, this.#clients)
  }

  #settle(dialect: Dialect | undefined): void {
    if (!dialect) return
    this.#isSettled = true
    this.#useDialect(dialect)
  }

  #useDialect(dialect: Dialect): void {
    this.#dialect = dialect
    this.#parser = openDialect(dialect, { clientField: this.#options.clientField })
    Object.assign(this.#line, emptyLogLine())
  }

  get #names(): Pick<LineExplanation, 'format' | 'envelope'> {
    return { format: this.#dialect?.format.name ?? null, envelope: this.#dialect?.envelope?.name ?? null }
  }

  /** Describes the result of a check; undefined when the line has nothing to check. */
  #explainCheck(check: LineCheck, refusal: LineRefusal | undefined): string | undefined {
    const { atMs, bytes, addressStart, addressEnd, hostStart, hostEnd, status } = this.#line
    switch (check) {
      case 'format':
        return this.#explainFormat(refusal)
      case 'address':
        if (!refusal) return undefined
        return `${cut(bytes, addressStart, addressEnd)} is not an IP address${this.#parser?.mayHaveHostname ? ' or a host name' : ''}`
      case 'date':
        if (!refusal) return `${toInstant(atMs)}, UTC day ${formatDay(toDay(atMs))}`
        return Number.isNaN(atMs)
          ? 'not a valid date'
          : `${toInstant(atMs)}: before 2000, or more than a day in the future`
      case 'host':
        if (hostEnd === hostStart) return undefined
        return `${cut(bytes, hostStart, hostEnd)}: with --by-host, it must be the domain of a site`
      case 'method':
        return refusal ? 'not a GET' : 'GET'
      case 'status':
        if (!refusal) return `${status}`
        return `${status}: neither 2xx nor 304${this.#decider.failed ? '; a person or AI counts as a visitor of a page that failed' : ''}`
      case 'page':
        return this.#explainPage(refusal)
    }
  }

  #explainFormat(refusal: LineRefusal | undefined): string {
    if (!this.#dialect) return `in no known format (${formats.map(({ name }) => name).join(', ')})`
    const name = nameDialect(this.#dialect.format.name, this.#dialect.envelope?.title)
    return refusal?.name === 'wrong-format' ? `not in the format ${name}` : name
  }

  #explainPage(refusal: LineRefusal | undefined): string {
    const { bytes, targetStart, targetEnd } = this.#line
    const { page, llmsFile } = this.#decider
    if (refusal) {
      const count = llmsFile === undefined ? '' : `; its visitors are counted as readers of ${llmsFile}`
      // An import counts these requests as those to services.
      const reason = refusal === lineRefusals['sent-view'] ? 'sent-view' : (refusal.name as keyof typeof refusals)
      return `${cut(bytes, targetStart, targetEnd)} ${refusals[reason]}${count}`
    }
    const own = this.#decider.isOwnPage ? ', a page by the settings of this project' : ''
    if (page?.isMarkdown) return `${page.path}, as Markdown${own}`
    return `${page?.path}${this.#asksForMarkdown() ? ', as Markdown by its Accept header' : ''}${own}`
  }

  #explainWho(parser: LineParser, isMarkdown: boolean, explanation: LineExplanation): void {
    const { bytes, userAgentStart, userAgentEnd } = this.#line
    explanation.steps.push({ step: 'client', finding: this.#explainClient(parser) })
    const text = parser.decodeHeader(bytes.toString('latin1', userAgentStart, userAgentEnd))
    const own = this.#counting?.agents?.find(text, this.#clients)
    const userAgent = explainByOwn(text, own?.entry)
    const isUnnamedView = !own && isUnnamed(userAgent) && (isMarkdown || this.#asksForMarkdown())
    const isAiView = isUnnamedView && (this.#options.markdownAsAi || this.#counting?.onlyAssistants)
    const named = own?.rule ?? findRule(isAiView ? markdownView : classify(text))
    const judged =
      this.#rules === 1 || (own && isJudged(own))
        ? undefined
        : this.#verifiedRules.judge(named, this.#clients.owner, toDay(this.#line.atMs))
    const verified = this.#verifiedRules.findRule(named, judged)
    const { kind, name: rule } = this.#counting?.limit(verified) ?? verified
    explanation.userAgent = userAgent
    explanation.kind = kind
    explanation.rule = rule
    explanation.steps.push({ step: 'who', finding: userAgent.why })
    if (isUnnamedView)
      explanation.steps.push({ step: 'markdown', finding: markdownFindings[named.kind === 'ai' ? 1 : 0] })
    const address = cut(this.#clients.bytes, this.#clients.start, this.#clients.end)
    const operator = judged
      ? explainVerdict(judged, address, toDay(this.#line.atMs))
      : own && explainOwnVerdict(own, address)
    if (operator !== undefined) explanation.steps.push({ step: 'operator', finding: operator })
    const assistant = kind === 'human' ? this.#referrals.find(this.#line) : undefined
    if (assistant) {
      explanation.steps.push({ step: 'referral', finding: `came from the AI assistant ${assistant.assistant}` })
    }
  }

  #asksForMarkdown(): boolean {
    const { bytes, acceptStart, acceptEnd } = this.#line
    return acceptsMarkdown(bytes.toString('latin1', acceptStart, acceptEnd))
  }

  #explainClient(parser: LineParser): string {
    const clients = this.#clients
    clients.find(this.#line, parser, this.#rules)
    const client = cut(clients.bytes, clients.start, clients.end)
    if (clients.proxy !== undefined) {
      return `${client}, from X-Forwarded-For, because the peer belongs to ${clients.proxy}`
    }
    if (clients.isListed) return `${client}, from the client field`
    const { bytes, addressStart, addressEnd } = this.#line
    const peer = `${client}, the peer${explainSpelling(cut(bytes, addressStart, addressEnd), client)}`
    return this.#options.clientField === undefined ? peer : `${peer}: the client field has no address`
  }
}

/** Says how the log writes an address, if it is not written as it counts. */
function explainSpelling(logged: string, client: string): string {
  if (logged === client) return ''
  const { bare, stripped } = stripAddress(logged)
  const parts = stripped.length > 0 ? ` without ${stripped.join(' and ')}` : ''
  return ` (logged as ${logged}${bare === client ? `, counted${parts}` : `, counted${parts} in this form`})`
}

function cut(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end)
}

function toInstant(atMs: number): string {
  return new Date(atMs).toISOString()
}
