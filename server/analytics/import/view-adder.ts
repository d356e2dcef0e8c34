import { dayMs } from '../../base/day-ms.ts'
import type { Kind } from '../agents/agent-list.ts'
import { type Day, toDay } from '../day.ts'
import { toFailedLabel } from '../failed-pages.ts'
import type { LineParser, LogLine } from '../formats/log-format.ts'
import { markdownFile, toAgentName, toFileLabel, toReadLabel, toReferralLabel } from '../labels.ts'
import type { KnownPage } from '../page.ts'
import { asAi, asAiMarkdown, asHuman, asHumanMarkdown, asLabel } from '../view-batch.ts'
import type { BatchBuilder } from './batch-builder.ts'
import type { Clients } from './clients.ts'
import type { LineDecider, LineRefusal } from './decide-line.ts'
import type { EvidenceCollector } from './log-evidence.ts'
import { isJudged } from './own-agents.ts'
import { Referrals } from './referrals.ts'
import type { Rule } from './rules.ts'
import type { UserAgent, UserAgents } from './user-agents.ts'
import { VerifiedRules } from './verified-rules.ts'
import type { ProjectTarget } from './visited-projects.ts'

type Viewed = EvidenceCollector['viewed']
type FailedView = NonNullable<LineDecider<unknown>['failed']>

/** The largest number of labels that one line adds: the rule of a program, and Markdown. */
export const maxLabels = 2

const daySeconds = dayMs / 1000
/** A view within minutes of the first load is noticed without the next ones. */
const recentSeconds = 60

const masks = { human: asHuman, ai: asAi }
const markdownMasks = { human: asHuman | asHumanMarkdown, ai: asAi | asAiMarkdown }

/** Adds the views of a line to the batch of its project, with their labels. */
export class ViewAdder {
  readonly #line: LogLine
  readonly #agents: UserAgents
  readonly #clients: Clients
  readonly #referrals = new Referrals()
  readonly #verifiedRules = new VerifiedRules()

  /** @param options.line is read at each call */
  constructor({ line, agents, clients }: { line: LogLine; agents: UserAgents; clients: Clients }) {
    this.#line = line
    this.#agents = agents
    this.#clients = clients
  }

  /** Returns why a project does not count a page view; undefined when it does. */
  refuse(target: ProjectTarget | undefined, page: KnownPage | undefined, parser: LineParser): LineRefusal | undefined {
    if (!target?.counting || !page) return undefined
    this.#clients.find(this.#line, parser, target.project.visitorRules)
    return target.counting.refuse(page.path, this.#clients)
  }

  /** Adds a page view, also to the evidence. A program that is neither people nor AI only gets a label. */
  addView(target: ProjectTarget, page: KnownPage, parser: LineParser, viewed: Viewed): void {
    const { atMs, userAgentStart, userAgentEnd } = this.#line
    const { tally, builder } = target
    const agent = this.#findAgent(parser)
    const isMarkdown = page.isMarkdown || this.#asksForMarkdown()
    const day = toDay(atMs)
    const rule = this.#findRule(target, agent, isMarkdown, parser)
    tally.countView(rule)
    // A missing user agent is empty or a dash.
    viewed.countView(atMs, userAgentEnd - userAgentStart > 1, rule.name)
    if (rule.kind !== 'neither') tally.addDay(day)
    if (!builder.canAdd(day)) {
      if (rule.kind !== 'neither') tally.tooOldViews++
      return
    }
    const visitorsBefore = builder.size
    const visitor = this.#findVisitor(builder, agent, rule)
    if (this.#clients.isListed) viewed.ofListed++
    if (this.#clients.proxy !== undefined) viewed.countForwarded(this.#clients.proxy)
    if (rule.kind === 'neither') {
      if (rule.label !== undefined) builder.add(visitor, rule.label, day, asLabel)
      if (isMarkdown) addFileLabel(builder, visitor, day, rule.kind, markdownFile)
    } else {
      const { bytes, start, end } = this.#clients
      viewed.countVisitor(bytes, start, end, builder.size > visitorsBefore)
      builder.add(visitor, page.path, day, isMarkdown ? markdownMasks[rule.kind] : masks[rule.kind])
      const referral = rule.kind === 'human' ? this.#referrals.find(this.#line) : undefined
      if (referral) builder.add(visitor, toReferralLabel(referral.site, page.path), day, asLabel)
      if (rule.kind === 'human') builder.noteView(visitor, atMs / 1000, day)
    }
  }

  /** Notes that a browser loaded a part of a page, which is not a page view. */
  addPart({ builder, project }: ProjectTarget, parser: LineParser): void {
    const atSecond = this.#line.atMs / 1000
    const agent = this.#findAgent(parser)
    const day = toDay(this.#line.atMs)
    if (agent.rule.kind !== 'human' || !builder.canAdd(day)) {
      builder.loads.add(day * daySeconds, (day + 1) * daySeconds)
      return
    }
    this.#clients.find(this.#line, parser, project.visitorRules)
    const { bytes, start, end, proxy } = this.#clients
    const isCounted = builder.addPart(bytes, start, end, agent, atSecond)
    // The peer of the line is not the client.
    if (proxy !== undefined) return
    if (isCounted) builder.loads.add(day * daySeconds, (day + 1) * daySeconds)
    else builder.loads.add(atSecond, atSecond + recentSeconds)
  }

  /** Adds a view of a file for AI, which is not a page view. */
  addFile(target: ProjectTarget, file: string, parser: LineParser): void {
    const agent = this.#findAgent(parser)
    const { builder, tally } = target
    // The summary compares it with page views.
    const { verifiedViews } = tally
    const rule = this.#findRule(target, agent, false, parser)
    tally.verifiedViews = verifiedViews
    const day = toDay(this.#line.atMs)
    if (builder.canAdd(day)) {
      const visitor = this.#findVisitor(builder, agent, rule)
      addFileLabel(builder, visitor, day, rule.kind, file)
      if (rule.kind === 'ai' && rule.label !== undefined) {
        builder.add(visitor, toReadLabel(file, rule.label), day, asLabel)
      }
    }
  }

  /** Adds a view of a page that was not sent, which is not a page view. */
  addFailed(target: ProjectTarget, { page, failure }: FailedView, parser: LineParser): void {
    if (this.refuse(target, page, parser)) return
    const { tally, builder } = target
    const agent = this.#findAgent(parser)
    const { verifiedViews } = tally
    const isMarkdown = page.isMarkdown || this.#asksForMarkdown()
    const rule = this.#findRule(target, agent, isMarkdown, parser)
    tally.verifiedViews = verifiedViews
    const { kind, label } = rule
    const day = toDay(this.#line.atMs)
    if (kind === 'neither' || !builder.canAdd(day)) return
    const from = kind === 'human' ? this.#referrals.findAny(this.#line) : label && toAgentName(label)
    const visitor = this.#findVisitor(builder, agent, rule)
    builder.add(visitor, toFailedLabel({ kind, failure, path: page.path, ...(from && { from }) }), day, asLabel)
  }

  #asksForMarkdown(): boolean {
    const { bytes, acceptStart, acceptEnd } = this.#line
    return acceptEnd > acceptStart && acceptsMarkdown(bytes.toString('latin1', acceptStart, acceptEnd))
  }

  #findAgent(parser: LineParser): UserAgent {
    const { bytes, userAgentStart, userAgentEnd } = this.#line
    return this.#agents.find(bytes, userAgentStart, userAgentEnd, parser.decodeHeader)
  }

  /** Finds the client of the line, and the rule of its view. */
  #findRule(
    { project, tally, counting }: ProjectTarget,
    agent: UserAgent,
    isMarkdown: boolean,
    parser: LineParser,
  ): Rule {
    this.#clients.find(this.#line, parser, project.visitorRules)
    const own = counting?.agents?.find(agent.text, this.#clients)
    if (own?.verdict === 'verified') tally.verifiedViews++
    if (counting && own && isJudged(own)) return counting.limit(own.rule)
    const named = own?.rule ?? counting?.findRule(agent, isMarkdown) ?? (isMarkdown ? agent.markdownRule : agent.rule)
    if (project.visitorRules === 1) return counting?.limit(named) ?? named
    const judged = this.#verifiedRules.judge(named, this.#clients.owner, toDay(this.#line.atMs))
    if (judged?.verdict === 'verified') tally.verifiedViews++
    const rule = this.#verifiedRules.findRule(named, judged)
    return counting?.limit(rule) ?? rule
  }

  /** Returns the number of the visitor in the batch; call it after `#findRule`. */
  #findVisitor(builder: BatchBuilder, agent: UserAgent, rule: Rule): number {
    const { bytes, start, end } = this.#clients
    const aiLabel = rule.kind === 'ai' ? rule.label : undefined
    return builder.findVisitor(bytes, start, end, agent, toDay(this.#line.atMs), aiLabel)
  }
}

/** Returns whether an Accept header asks for Markdown (RFC 7763). Takes bytes as a latin1 string. */
export function acceptsMarkdown(accept: string): boolean {
  return /(?:^|,)\s*text\/markdown\s*(?=[;,]|$)(?!;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept)
}

// Kept because the text and its hash would be computed for every view.
const fileLabels = new Map<string, Record<Kind, string>>()

/**
 * Adds the label of a view of a file for AI. The parameters are separate because an object would be allocated for every
 * view.
 */
function addFileLabel(builder: BatchBuilder, visitor: number, day: Day, kind: Kind, file: string): void {
  let labels = fileLabels.get(file)
  if (!labels) {
    const [human, ai, neither] = [toFileLabel('human', file), toFileLabel('ai', file), toFileLabel('neither', file)]
    labels = { human, ai, neither }
    fileLabels.set(file, labels)
  }
  builder.add(visitor, labels[kind], day, asLabel)
}
