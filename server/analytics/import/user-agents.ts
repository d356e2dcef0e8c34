import { classify } from '../agents/classify.ts'
import { ByteTable } from './byte-table.ts'
import { markdownRuleName } from './page-view.ts'
import { findRule, type Rule } from './rules.ts'

export interface UserAgent {
  /** Number of the user agent, from 0, in order of first occurrence. */
  number: number
  /** Bytes as a latin1 string; the log's escapes are already decoded. */
  text: string
  /** The rule that classifies its views. */
  rule: Rule
  /** The rule that classifies its views of Markdown. */
  markdownRule: Rule
}

const markdownRule = findRule({ kind: 'ai', rule: markdownRuleName })

/** Caches the user agents of a log by their bytes. Each user agent is classified once. */
export class UserAgents {
  readonly #table = new ByteTable()
  #agents: UserAgent[] = []

  get sizeBytes(): number {
    return this.#table.sizeBytes
  }

  get size(): number {
    return this.#table.size
  }

  find(bytes: Buffer, start: number, end: number, decode: (text: string) => string): UserAgent {
    const number = this.#table.find(bytes, start, end)
    if (number !== -1) return this.#agents[number] as UserAgent
    const text = decode(bytes.toString('latin1', start, end))
    const rule = findRule(classify(text))
    const agent = {
      number: this.#table.add(bytes, start, end),
      text,
      rule,
      markdownRule: rule.kind === 'ai' ? rule : markdownRule,
    }
    this.#agents.push(agent)
    return agent
  }

  clear(): void {
    this.#table.clear()
    this.#agents = []
  }
}
