import crawlers from 'crawler-user-agents'
import { isbot } from 'isbot'
import aiAgents from './ai-agents.json' with { type: 'json' }
import { BoundedCache } from './bounded-cache.ts'

export type Kind = 'human' | 'ai' | 'neither'

export interface Classification {
  kind: Kind
  /** What told: `ai: GPTBot`, `search-engine: Googlebot`, `isbot`, `empty`, `browser`. One of a few thousand values. */
  rule: string
}

/** Longer than any honest user agent; a bound on what a regular expression can cost. */
const mostCharacters = 1024
const cache = new BoundedCache<string, Classification>(20_000)

/**
 * Tells people, AI (assistants, AI search, AI crawlers, coding agents) and other programs (classic bots, previews,
 * libraries, monitors) apart by the user agent. The first list that knows it decides: the AI agents of
 * `crawler-user-agents`, our own `ai-agents.json`, the other crawlers, then isbot, which alone takes Perplexity-User or
 * Devin for people.
 */
export function classify(userAgent: string): Classification {
  // Not remembered: a log full of long ones would fill the memory.
  if (userAgent.length > mostCharacters) return decide(userAgent.slice(0, mostCharacters))
  const cached = cache.get(userAgent)
  if (cached) return cached
  const classification = decide(userAgent)
  cache.set(userAgent, classification)
  return classification
}

function decide(userAgent: string): Classification {
  const trimmed = userAgent.trim()
  if (trimmed === '' || trimmed === '-') return { kind: 'neither', rule: 'empty' }
  for (const { kind, label, any, names } of lists) {
    if (!any.test(trimmed)) continue
    for (const { name, pattern } of names) {
      const match = pattern.exec(trimmed)
      if (match) return { kind, rule: `${label}: ${name ?? tidy(match[0])}` }
    }
  }
  return isbot(trimmed) ? { kind: 'neither', rule: 'isbot' } : { kind: 'human', rule: 'browser' }
}

/** Patterns under one label. `any` is all of them in one expression: most user agents match none, and that must be cheap. */
interface PatternList {
  kind: Kind
  label: string
  any: RegExp
  names: NamedPattern<RegExp>[]
}

/** A pattern without a name is called after what it found. */
interface NamedPattern<Pattern> {
  name?: string
  pattern: Pattern
}

const lists = createLists()

function createLists(): PatternList[] {
  // The types of the package lack the tags in their ES module form.
  const tagged: readonly { pattern: string; tags?: string[] }[] = crawlers
  const isAi = ({ tags }: { tags?: string[] }) => tags?.includes('ai-crawler') ?? false
  const ofAi = tagged.filter(isAi).map(({ pattern }) => named(pattern, asWord(pattern)))
  const ofOurs = aiAgents.agents.map(({ token }) => ({ name: token, pattern: asWord(token.replaceAll('.', '\\.')) }))
  const classic = Map.groupBy(
    tagged.filter(crawler => !isAi(crawler)),
    crawler => crawler.tags?.[0] ?? 'crawler',
  )
  return [
    createList('ai', 'ai', ofAi, ''),
    createList('ai', 'ai', ofOurs, 'i'),
    ...[...classic].map(([tag, group]) => {
      const patterns = group.map(({ pattern }) => named(pattern, pattern))
      return createList('neither', tag, patterns, '')
    }),
  ]
}

function createList(kind: Kind, label: string, entries: readonly NamedPattern<string>[], flags: string): PatternList {
  return {
    kind,
    label,
    any: new RegExp(entries.map(({ pattern }) => `(?:${pattern})`).join('|'), flags),
    names: entries.map(entry => ({ ...entry, pattern: new RegExp(entry.pattern, flags) })),
  }
}

/** Only whole words: `Devin` is an agent, `Devine` is not. A plain \b would refuse a pattern that ends in a slash. */
function asWord(source: string): string {
  return `(?<!\\w(?=\\w))(?:${source})(?!(?<=\\w)\\w)`
}

/** What a repetition finds has no end of forms, so such a pattern gets a name of its own. */
function named(pattern: string, whole: string): NamedPattern<string> {
  const isOpen = /[*+]/.test(pattern.replaceAll(/\\./g, ''))
  return isOpen ? { name: tidy(pattern.replaceAll('\\', '')), pattern: whole } : { pattern: whole }
}

/** `ClaudeBot/` -> `ClaudeBot` */
function tidy(name: string): string {
  return name.trim().replace(/\/$/, '')
}
