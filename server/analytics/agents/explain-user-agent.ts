import type { AgentMatch, AgentUse, Kind, ListSource } from './agent-list.ts'
import { notAi } from './agent-lists.ts'
import { type Decision, decide, maxCharacters } from './classify.ts'
import { isbotList } from './program-words.ts'

/** Explanation of how a user agent was classified. */
export interface UserAgentExplanation {
  userAgent: string
  kind: Kind
  /** The rule under which the summary of an import lists the user agent. */
  rule: string
  /** The reason, as a sentence. */
  why: string
  /** The list that decided; absent when no list matches the user agent. */
  list?: ListSource
  /** The pattern in that list, and the text in the user agent that the pattern matched. */
  pattern?: string
  found?: string
  operator?: string
  use?: AgentUse
  /** URL where the list entry was found. */
  source?: string
  /** Further remarks, in sentences. */
  notes: string[]
}

const uses: Record<AgentUse, string> = {
  assistant: 'An AI assistant',
  search: 'AI search',
  training: 'A crawler for AI training',
  coding: 'A coding agent',
  unknown: 'AI of an unknown purpose',
}

/** Names what an agent of a use is, at the beginning of a sentence. */
export function describeUse(use: AgentUse): string {
  return uses[use]
}

/** Explains the result of `classify`. */
export function explainUserAgent(userAgent: string): UserAgentExplanation {
  const decision = decide(userAgent)
  const { kind, rule, match } = decision
  const result = { userAgent, kind, rule }
  const notes = listNotes(userAgent, decision)
  if (match) return { ...result, why: explainMatch(match), ...describeMatch(match), notes }
  if (rule === 'empty') return { ...result, why: 'The request has no user agent: it counts as a program.', notes }
  if (rule === 'no browser') {
    return {
      ...result,
      why: 'No list contains it, and it names neither a browser nor a device: it counts as a program.',
      notes,
    }
  }
  return { ...result, why: explainHuman(decision), notes }
}

/** Formats a list as `crawler-user-agents 1.60.0 of 2026-08-10`. */
export function nameList({ name, version, asOf }: ListSource): string {
  return [name, version, asOf ? `of ${asOf}` : undefined].filter(Boolean).join(' ')
}

function explainMatch({ entry, found, list }: AgentMatch): string {
  const reason = `“${found}” is in the built-in list ${nameList(list)}`
  if (list === isbotList) return `${nameList(list)} recognizes “${found}” as a program.`
  if (entry.kind === 'neither') return `A program of type ${entry.label}, not AI: ${reason}.`
  return `${describeUse(entry.use ?? 'unknown')}${entry.operator ? `, by ${entry.operator}` : ''}: ${reason}.`
}

function explainHuman({ exempt }: Decision): string {
  if (!exempt) return 'No list contains it: it counts as a person with a browser.'
  const [name] = exempt.names.filter(({ found }) => found.includes(exempt.match.found))
  const where = name ? `“${name.found}”, ${name.reason}` : 'the names of its device and browser'
  return `A browser: ${nameList(exempt.match.list)} takes “${exempt.match.found}” for a program, but it is part of ${where}.`
}

function describeMatch({ entry, found, list }: AgentMatch) {
  const { pattern, operator, use, source } = entry
  return {
    list,
    pattern,
    found,
    ...(operator ? { operator } : {}),
    ...(use ? { use } : {}),
    ...(source ? { source } : {}),
  }
}

function listNotes(userAgent: string, { kind, match }: Decision): string[] {
  const notes: string[] = []
  if (userAgent.length > maxCharacters) {
    notes.push(`Only the first ${maxCharacters} of its ${userAgent.length} characters are checked.`)
  }
  if (match?.entry.kind === 'ai' && match.entry.note) notes.push(match.entry.note)
  const decided = kind === 'ai' ? undefined : notAi.find(userAgent.slice(0, maxCharacters))
  if (decided?.entry.note) notes.push(decided.entry.note)
  return notes
}
