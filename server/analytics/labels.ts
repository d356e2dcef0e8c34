import { type FailedPage, isFailedLabel, listCountedFailures, parseFailedPage } from './failed-pages.ts'

/**
 * Labels count visitors by more than pages: by the name of an AI agent, by the rule that classified a program, by files for
 * AI, by the AI assistant and the page that people came from and to, and by pages that failed. The visitors of a label are exact and unique in any
 * range, and a repeated import changes nothing, see `label-sets.ts`. Labels count neither for the site nor as pages: a path
 * begins with a slash and a label does not.
 *
 * The number of labels is bounded by the agent lists, by the assistants times the pages of the site, and by `FailureBounds`.
 */
export type Label =
  | { type: 'agent'; agent: string }
  | { type: 'class'; use: string }
  | { type: 'neither'; rule: string }
  | { type: 'file'; kind: LabelledKind; file: string }
  | { type: 'read'; file: string; agent: string }
  | ({ type: 'failed' } & FailedPage)
  | { type: 'loaded' }
  | { type: 'referral'; site?: string; path?: string }

/** See `Kind` of the agent lists. */
export type LabelledKind = 'human' | 'ai' | 'neither'

/** The name of all pages that were read as Markdown, among the files for AI. */
export const markdownFile = 'Markdown'

const aiRule = 'ai: '
const agentLabel = 'agent:'

/** Returns the label of the visitors that a rule classified, see `Classification`; undefined for people. */
export function toRuleLabel(kind: LabelledKind, rule: string): string | undefined {
  if (kind === 'human') return undefined
  if (kind === 'neither') return `neither:${rule}`
  return `${agentLabel}${rule.startsWith(aiRule) ? rule.slice(aiRule.length) : rule}`
}

/** Returns whether a label is that of the visitors of an agent. */
export function isAgentLabel(label: string): boolean {
  return label.startsWith(agentLabel)
}

/** Returns the agent of the label of its visitors. */
export function toAgentName(label: string): string {
  return label.slice(agentLabel.length)
}

/** Returns the label of the visitors of a kind that read a file for AI. */
export function toFileLabel(kind: LabelledKind, file: string): string {
  return `file:${kind}:${file}`
}

/** Returns the label of the AI visitors with the label of an agent that read a file for AI. */
export function toReadLabel(file: string, agentLabelText: string): string {
  return `read:${file}:${toAgentName(agentLabelText)}`
}

/**
 * The label of people whose browser loaded a style sheet, script, font or picture of the site within minutes of a page view.
 */
export const loadedLabel = 'loaded:'

/** The label of all people who came from an AI assistant. */
const anyReferralLabel = 'from:'

/** Returns the label of the people who came from the site of an AI assistant to the page of a path. */
export function toReferralLabel(site: string, path: string): string {
  return `${anyReferralLabel}${site}${path}`
}

/**
 * Lists the labels under which the visitors of a stored label count: those of a referral also for its site, and for all; those
 * of an agent also for its class. The class is found when labels are counted, not when they are stored: a class that a later
 * version corrects is right for all days, and an import does no work for it.
 *
 * @param useOf returns the class of an agent
 */
export function listCountedLabels(label: string, useOf: (agent: string) => string): readonly string[] {
  if (isAgentLabel(label)) return [label, `class:${useOf(toAgentName(label))}`]
  if (isFailedLabel(label)) return listCountedFailures(label)
  if (!label.startsWith(anyReferralLabel)) return [label]
  const slash = label.indexOf('/')
  return [label, label.slice(0, slash), anyReferralLabel]
}

/** Returns whether a text in the place of a path is a label. */
export function isLabel(text: string): boolean {
  return !text.startsWith('/')
}

/** Parses a label; undefined when a later version wrote it. */
export function parseLabel(text: string): Label | undefined {
  const [, type, rest = ''] = /^([a-z]+):(.*)$/.exec(text) ?? []
  switch (type) {
    case 'agent':
      return { type, agent: rest }
    case 'class':
      return { type, use: rest }
    case 'neither':
      return { type, rule: rest }
    case 'file':
      return parseFile(rest)
    case 'read': {
      const colon = rest.indexOf(':')
      return { type, file: rest.slice(0, colon), agent: rest.slice(colon + 1) }
    }
    case 'failed': {
      const failed = parseFailedPage(rest)
      return failed && { type, ...failed }
    }
    case 'loaded':
      return { type }
    case 'from':
      return parseReferral(rest)
  }
  return undefined
}

function parseFile(text: string): Label | undefined {
  const [, kind, file = ''] = /^(human|ai|neither):(.+)$/.exec(text) ?? []
  return kind === undefined ? undefined : { type: 'file', kind: kind as LabelledKind, file }
}

function parseReferral(text: string): Label {
  const [site = ''] = text.split('/', 1)
  const path = text.slice(site.length)
  return { type: 'referral', ...(site !== '' && { site }), ...(path !== '' && { path }) }
}
