import { classify } from '../agents/classify.ts'
import { ByteTable } from './byte-table.ts'
import { isUnnamed, markdownView } from './page-view.ts'
import { findRule, type Rule } from './rules.ts'

export interface UserAgent {
  /** Number of the user agent, from 0, in order of first occurrence. */
  number: number
  /** Bytes as a latin1 string; the log's escapes are already decoded. */
  text: string
  /** The rule that classifies its views. */
  rule: Rule
  /** The rule that classifies its views of Markdown; mostly the same. */
  markdownRule: Rule
}

const markdownRule = findRule(markdownView)

/** Caches the user agents of a log by their bytes. Each user agent is classified once. */
export class UserAgents {
  readonly #markdownAsAi: boolean
  readonly #table = new ByteTable()
  #agents: UserAgent[] = []

  /** @param markdownAsAi see `LogSettings` */
  constructor(markdownAsAi = false) {
    this.#markdownAsAi = markdownAsAi
  }

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
    const classification = classify(text)
    const rule = findRule(classification)
    const agent = {
      number: this.#table.add(bytes, start, end),
      text,
      rule,
      markdownRule: this.#markdownAsAi && isUnnamed(classification) ? markdownRule : rule,
    }
    this.#agents.push(agent)
    return agent
  }

  clear(): void {
    this.#table.clear()
    this.#agents = []
  }
}
