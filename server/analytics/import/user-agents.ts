import { classify } from '../agents/classify.ts'
import { ByteTable } from './byte-table.ts'
import { markdownRuleName } from './page-view.ts'
import { findRule, type Rule } from './rules.ts'

export interface UserAgent {
  /** In the order they came, from 0. */
  number: number
  /** A string of bytes (latin1), the log's escapes undone. */
  text: string
  /** What tells who makes views with it, and who makes views of Markdown. */
  rule: Rule
  markdownRule: Rule
}

const markdownRule = findRule('ai', markdownRuleName)

/** The user agents of a log, each classified once and found again by its bytes. */
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
    const told = classify(text)
    const rule = findRule(told.kind, told.rule)
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
