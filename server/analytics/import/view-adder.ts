import { toDay } from '../day.ts'
import { findClient } from '../formats/address.ts'
import type { LineParser, LogLine } from '../formats/log-format.ts'
import { markdownFile } from '../labels.ts'
import type { KnownPage } from '../page.ts'
import { asAi, asAiMarkdown, asHuman, asHumanMarkdown, asLabel } from '../view-batch.ts'
import type { BatchBuilder } from './batch-builder.ts'
import { acceptsMarkdown } from './page-view.ts'
import type { UserAgent, UserAgents } from './user-agents.ts'
import { addFileLabel, ViewLabels } from './view-labels.ts'
import type { ProjectTarget } from './visited-projects.ts'

const masks = { human: asHuman, ai: asAi }
const markdownMasks = { human: asHuman | asHumanMarkdown, ai: asAi | asAiMarkdown }

/** Adds the views of a line to the batch of its project, with their labels. */
export class ViewAdder {
  readonly #line: LogLine
  readonly #agents: UserAgents
  readonly #trustedProxies: number | undefined
  readonly #client = Buffer.alloc(64)
  readonly #labels = new ViewLabels()

  /**
   * @param line is read at each call
   * @param trustedProxies see `findClient`
   */
  constructor(line: LogLine, agents: UserAgents, trustedProxies: number | undefined) {
    this.#line = line
    this.#agents = agents
    this.#trustedProxies = trustedProxies
  }

  /** Adds a page view. A program that is neither people nor AI only gets a label. */
  addView({ tally, builder }: ProjectTarget, page: KnownPage, parser: LineParser): void {
    const agent = this.#findAgent(parser)
    const isMarkdown = page.isMarkdown || this.#asksForMarkdown()
    const rule = isMarkdown ? agent.markdownRule : agent.rule
    tally.countView(rule)
    const day = toDay(this.#line.atMs)
    if (rule.kind !== 'neither') tally.addDay(day)
    if (!builder.canAdd(day)) {
      if (rule.kind !== 'neither') tally.tooOldViews++
      return
    }
    const visitor = this.#findVisitor(builder, agent, parser)
    if (rule.kind === 'neither') {
      if (rule.label !== undefined) builder.add(visitor, rule.label, day, asLabel)
      if (isMarkdown) addFileLabel(builder, visitor, day, rule.kind, markdownFile)
    } else {
      builder.add(visitor, page.path, day, isMarkdown ? markdownMasks[rule.kind] : masks[rule.kind])
      if (rule.kind === 'human') this.#labels.addReferral(builder, visitor, day, page.path, this.#line)
    }
  }

  /** Adds a view of a file for AI, which is not a page view. */
  addFile({ builder }: ProjectTarget, file: string, parser: LineParser): void {
    const agent = this.#findAgent(parser)
    const day = toDay(this.#line.atMs)
    if (builder.canAdd(day)) {
      addFileLabel(builder, this.#findVisitor(builder, agent, parser), day, agent.rule.kind, file)
    }
  }

  #asksForMarkdown(): boolean {
    const { bytes, acceptStart, acceptEnd } = this.#line
    return acceptEnd > acceptStart && acceptsMarkdown(bytes.toString('latin1', acceptStart, acceptEnd))
  }

  #findAgent(parser: LineParser): UserAgent {
    const { bytes, userAgentStart, userAgentEnd } = this.#line
    return this.#agents.find(bytes, userAgentStart, userAgentEnd, parser.decodeHeader)
  }

  /** Returns the number of the visitor in the batch: of the client in the list of addresses, else of the peer. */
  #findVisitor(builder: BatchBuilder, agent: UserAgent, parser: LineParser): number {
    const { bytes, addressStart, addressEnd, clientStart, clientEnd, atMs } = this.#line
    const day = toDay(atMs)
    const clientBytes = clientEnd > clientStart ? this.#readClient(bytes, clientStart, clientEnd, parser) : 0
    return clientBytes > 0
      ? builder.findVisitor(this.#client, 0, clientBytes, agent, day)
      : builder.findVisitor(bytes, addressStart, addressEnd, agent, day)
  }

  /** Writes the client of the list into `#client`, and returns its length in bytes; 0 when the list has no client. */
  #readClient(bytes: Buffer, start: number, end: number, parser: LineParser): number {
    const list = parser.decodeHeader(bytes.toString('latin1', start, end))
    const client = findClient(list, this.#trustedProxies)
    return client === undefined ? 0 : this.#client.write(client, 'latin1')
  }
}
