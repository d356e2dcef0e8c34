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
  const text = userAgent.length > mostCharacters ? userAgent.slice(0, mostCharacters) : userAgent
  const cached = cache.get(text)
  if (cached) return cached
  const classification = decide(text)
  cache.set(text, classification)
  return classification
}

function decide(userAgent: string): Classification {
  const trimmed = userAgent.trim()
  if (trimmed === '' || trimmed === '-') return { kind: 'neither', rule: 'empty' }
  for (const { kind, label, any, names } of lists) {
    if (!any.test(trimmed)) continue
    const name = names.find(({ pattern }) => pattern.test(trimmed))?.name
    return { kind, rule: name === undefined ? label : `${label}: ${name}` }
  }
  return isbot(trimmed) ? { kind: 'neither', rule: 'isbot' } : { kind: 'human', rule: 'browser' }
}

/** Patterns under one label. `any` is all of them in one expression: most user agents match none, and that must be cheap. */
interface PatternList {
  kind: Kind
  label: string
  any: RegExp
  names: { name: string; pattern: RegExp }[]
}

const lists = createLists()

function createLists(): PatternList[] {
  // The types of the package lack the tags in their ES module form.
  const tagged: readonly { pattern: string; tags?: string[] }[] = crawlers
  const isAi = ({ tags }: { tags?: string[] }) => tags?.includes('ai-crawler') ?? false
  const ofAi = tagged.filter(isAi).map(({ pattern }) => ({ name: toName(pattern), source: asWord(pattern) }))
  const ofOurs = aiAgents.agents.map(({ token }) => ({ name: token, source: asWord(token.replaceAll('.', '\\.')) }))
  const classic = Map.groupBy(
    tagged.filter(crawler => !isAi(crawler)),
    crawler => crawler.tags?.[0] ?? 'crawler',
  )
  return [
    createList('ai', 'ai', ofAi, ''),
    createList('ai', 'ai', ofOurs, 'i'),
    ...[...classic].map(([tag, group]) =>
      createList(
        'neither',
        tag,
        group.map(({ pattern }) => ({ name: toName(pattern), source: pattern })),
        '',
      ),
    ),
  ]
}

function createList(
  kind: Kind,
  label: string,
  entries: readonly { name: string; source: string }[],
  flags: string,
): PatternList {
  return {
    kind,
    label,
    any: new RegExp(entries.map(({ source }) => source).join('|'), flags),
    names: entries.map(({ name, source }) => ({ name, pattern: new RegExp(source, flags) })),
  }
}

/** Only whole words: `Devin` is an agent, `Devine` is not. A plain \b would refuse a pattern that ends in a slash. */
function asWord(source: string): string {
  return `(?<!\\w(?=\\w))(?:${source})(?!(?<=\\w)\\w)`
}

/** `[cC]laude[bB]ot\/` -> `ClaudeBot` */
function toName(pattern: string): string {
  return pattern
    .replaceAll(/\[[a-z]([A-Z])\]/g, '$1')
    .replaceAll(/\[([A-Z])[a-z]\]/g, '$1')
    .replaceAll('\\', '')
    .replace(/\/$/, '')
}
