import { type Classification, classify } from '../agents/classify.ts'
import { ByteTable } from '../hash-table.ts'
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
  /** The rule that classifies its views of Markdown in a project where those of programs that no list names are AI. */
  unnamedMarkdownRule: Rule
}

/** The rule of Markdown views by programs that no list names, if the operator counts them as AI. */
export const markdownView: Classification = { kind: 'ai', rule: 'ai: Markdown view' }

const markdownRule = findRule(markdownView)

/**
 * Returns whether the Markdown views of this user agent may count as AI: a program that no list names. All other user
 * agents count alike on every page: a browser reads Markdown files to render them, and a search engine or curl is what
 * its name says.
 */
export function isUnnamed({ kind, rule }: Classification): boolean {
  return kind === 'neither' && (rule === 'empty' || rule === 'no browser' || rule.startsWith('isbot: '))
}

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
      unnamedMarkdownRule: isUnnamed(classification) ? markdownRule : rule,
    }
    this.#agents.push(agent)
    return agent
  }

  clear(): void {
    this.#table.clear()
    this.#agents = []
  }
}
