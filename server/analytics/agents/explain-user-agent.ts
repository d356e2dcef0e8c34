import { isbotMatch } from 'isbot'
import type { AgentMatch, Kind, ListSource } from './agent-list.ts'
import { isbotList, notAi } from './agent-lists.ts'
import { type Decision, decide, maxCharacters } from './classify.ts'

/** Why a user agent counts as what it does. */
export interface UserAgentExplanation {
  userAgent: string
  kind: Kind
  /** What the summary of an import counts it under. */
  rule: string
  /** A sentence for people. */
  why: string
  /** The list that decided; absent when none knows the user agent. */
  list?: ListSource
  /** The pattern of that list, and what it found in the user agent. */
  pattern?: string
  found?: string
  operator?: string
  use?: string
  /** Where the list's entry was read. */
  source?: string
  /** Sentences on what the lists leave open. */
  notes: string[]
}

const uses: Record<string, string> = {
  assistant: 'an AI assistant',
  search: 'AI search',
  crawler: 'an AI crawler',
  'coding-agent': 'a coding agent',
}

/** Tells why `classify` says what it says. */
export function explainUserAgent(userAgent: string): UserAgentExplanation {
  const decision = decide(userAgent)
  const { kind, rule, match } = decision
  const told = { userAgent, kind, rule }
  const notes = notesOn(userAgent, decision)
  if (match) return { ...told, why: whyMatch(match), ...aboutMatch(match), notes }
  if (rule === 'empty') return { ...told, why: 'The request names no user agent: a program.', notes }
  if (rule === 'isbot') {
    const found = isbotMatch(userAgent.slice(0, maxCharacters)) ?? ''
    return {
      ...told,
      why: `${nameList(isbotList)} takes “${found}” for the mark of a program.`,
      list: isbotList,
      found,
      notes,
    }
  }
  return { ...told, why: 'No list knows it: it counts as a person with a browser.', notes }
}

/** `crawler-user-agents 1.60.0 of 2026-08-10` */
export function nameList({ name, version, asOf }: ListSource): string {
  return [name, version, asOf ? `of ${asOf}` : undefined].filter(Boolean).join(' ')
}

function whyMatch({ entry, found, list }: AgentMatch): string {
  const marks = `“${found}” is in the list ${nameList(list)}`
  if (entry.kind === 'human') return `A browser: ${entry.note}. ${marks}.`
  if (entry.kind === 'neither') return `A program of the sort ${entry.label}, not AI: ${marks}.`
  const what = entry.use ? (uses[entry.use] ?? entry.use) : 'AI'
  const whose = entry.operator ? `, by ${entry.operator}` : ''
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${whose}: ${marks}.`
}

function aboutMatch({ entry, found, list }: AgentMatch) {
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

function notesOn(userAgent: string, { kind, match }: Decision): string[] {
  const notes: string[] = []
  if (userAgent.length > maxCharacters) {
    notes.push(`Only the first ${maxCharacters} of its ${userAgent.length} characters decide.`)
  }
  if (match?.entry.kind === 'ai' && match.entry.note) notes.push(match.entry.note)
  const decided = kind === 'ai' ? undefined : notAi.find(userAgent.slice(0, maxCharacters))
  if (decided?.entry.note) notes.push(decided.entry.note)
  return notes
}
