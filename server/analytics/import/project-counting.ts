import type { CountingSettings, OwnAgentList } from '../../tenancy/project.ts'
import { AddressRanges } from '../formats/address-ranges.ts'
import type { Clients } from './clients.ts'
import { type LineRefusal, lineRefusals } from './decide-line.ts'
import { OwnAgents, projectAgents } from './own-agents.ts'
import { beginsSo, OwnPages } from './own-pages.ts'
import { findRule, type Rule } from './rules.ts'
import type { UserAgent } from './user-agents.ts'

/** The settings of a project, ready for counting. */
export class ProjectCounting {
  readonly #own: AddressRanges<true> | undefined
  readonly #paths: ReadonlySet<string>
  readonly #beginnings: readonly string[]
  /** Undefined = only the usual pages. */
  readonly pages: OwnPages | undefined
  /** Undefined = only the built-in agents. */
  readonly agents: OwnAgents | undefined
  readonly onlyAssistants: boolean

  /** @param more agents of the log, asked after those of the project */
  constructor({ ownAddresses, notPages, pages, agents, ai }: CountingSettings, more?: OwnAgentList) {
    this.#own =
      ownAddresses.length > 0
        ? new AddressRanges(ownAddresses.map(cidr => ({ cidr, owner: true as const })))
        : undefined
    this.#paths = new Set(notPages.filter(path => !path.endsWith('*')))
    this.#beginnings = notPages.filter(path => path.endsWith('*')).map(path => path.slice(0, -1))
    if (pages.length > 0) this.pages = new OwnPages(pages)
    if (agents.length > 0 || more) {
      this.agents = new OwnAgents([{ source: projectAgents, agents }, ...(more ? [more] : [])])
    }
    this.onlyAssistants = ai === 'assistants'
  }

  /**
   * Returns why a page view does not count; undefined when it does.
   *
   * @param path canonical, see `toPage`
   * @param clients found the client of the view
   */
  refuse(path: string, { bytes, start, end }: Clients): LineRefusal | undefined {
    if (this.#own?.find(bytes, start, end)) return lineRefusals['own-address']
    const isNone = this.#paths.has(path) || this.#beginnings.some(beginning => beginsSo(path, beginning))
    return isNone ? lineRefusals['no-page'] : undefined
  }

  /** Returns the rule of a view of an agent, before its address is judged. */
  findRule(agent: UserAgent, isMarkdown: boolean): Rule {
    if (!isMarkdown) return agent.rule
    return this.onlyAssistants ? agent.unnamedMarkdownRule : agent.markdownRule
  }

  /** Returns the rule by which a view counts: an agent that does not count as AI is a program. */
  limit(rule: Rule): Rule {
    const isCounted = rule.kind !== 'ai' || rule.use === undefined || rule.use === 'assistant' || rule.use === 'coding'
    if (!this.onlyAssistants || isCounted) return rule
    return findRule({ kind: 'neither', rule: `no assistant: ${rule.agent}` })
  }
}
