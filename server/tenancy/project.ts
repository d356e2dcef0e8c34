import type { Awaitable } from '../base/awaitable.ts'
import type { Listed, ListPart } from './list-part.ts'

/** How often the key of the visitor hash changes. A visitor who visits in two periods counts as two visitors. */
export type SaltRotation = 'never' | 'month' | 'day'

/**
 * How visitors are told apart. 1 = by the whole IPv6 address, always by the peer, and AI agents by their names alone. 2 = by
 * the first 64 bits of an IPv6 address, which a subscriber keeps while the rest changes each day (RFC 8981); behind a known proxy
 * by the address that the proxy sent; and AI agents also by the addresses that their operators publish. Projects keep the rules that they counted with until their visits are reset.
 */
export type VisitorRules = 1 | 2

/** The rules of new projects. */
export const newVisitorRules: VisitorRules = 2

/** Which AI agents count as AI: `assistants` = those that read for a person now, coding agents, and readers of Markdown that no list names. */
export const aiMeanings = ['all', 'assistants'] as const

/** What an agent of an operator counts as: a class of AI agents, or a program. */
export const ownAgentClasses = ['assistant', 'search', 'training', 'coding', 'unknown', 'not-ai'] as const

/** An agent that the operator of a project added to the built-in ones. */
export interface OwnAgent {
  name: string
  class: (typeof ownAgentClasses)[number]
  /** Parts of user agents, in any case; one of them is enough. Without them, each request from the ranges is of the agent. */
  contains: readonly string[]
  /** Blocks of addresses, see `parseCidr`. */
  ranges: readonly string[]
  /** Whether a request with its name from another address is an impostor. */
  complete: boolean
}

/** Agents of one source, which explanations name: a file, or the settings of the project. */
export interface OwnAgentList {
  source: string
  agents: readonly OwnAgent[]
}

/** What counts in a project, besides the rules for all projects. */
export interface CountingSettings {
  /** Blocks of addresses, see `parseCidr`. Their views do not count. */
  ownAddresses: readonly string[]
  /** Paths that are no pages; with a star at the end, all that begin so. */
  notPages: readonly string[]
  /** What counts as a page although the rules for all projects say no, see `OwnPages`. */
  pages: readonly string[]
  /** They are asked before the built-in agents. */
  agents: readonly OwnAgent[]
  ai: (typeof aiMeanings)[number]
  /** When `ai` was changed, in milliseconds since 1970; missing = all visits were counted with it. */
  aiSince?: number
}

export const usualCounting: CountingSettings = {
  ownAddresses: [],
  notPages: [],
  pages: [],
  agents: [],
  ai: 'all',
}

export interface Project {
  id: string
  organizationId: string
  name: string
  visitorSaltRotation: SaltRotation
  visitorRules: VisitorRules
  /** Missing = `usualCounting`. */
  counting?: CountingSettings
  createdAt: number
}

export interface Projects {
  insert(project: Project): Awaitable<void>
  /**
   * Finds a project. Also returns undefined if it belongs to another organization, so callers cannot detect that it exists.
   */
  findOwned(organizationId: string, id: string): Awaitable<Project | undefined>
  /** Returns false if the project does not exist. */
  updateName(id: string, name: string): Awaitable<boolean>
  setVisitorRules(id: string, rules: VisitorRules): Awaitable<void>
  setCounting(id: string, counting: CountingSettings): Awaitable<void>
  /** Finds the oldest project of an organization with this name. */
  findNamed(organizationId: string, name: string): Awaitable<Project | undefined>
  find(id: string): Awaitable<Project | undefined>
  list(organizationId?: string): Awaitable<Project[]>
  /** Lists projects whose name or id contains a text, the oldest first. */
  listPart(organizationId: string, part: ListPart): Awaitable<Listed<Project>>
}
