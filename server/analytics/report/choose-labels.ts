import { findAgentUse, parseAgentKey } from '../agents/agent-use.ts'
import { findAssistantSite, listAssistants } from '../assistant-sites.ts'
import { isBeyond } from '../failed-pages.ts'
import { type Label, listCountedLabels, parseLabel } from '../labels.ts'
import type { VisitorCounts } from '../unique-visitors.ts'
import { hasFilter, isOnlyPage, type LabelChoice, type VisitFilter } from '../visit-filter.ts'

/** Stands for all visitors that a filter matches. It is never stored. */
const matched = 'matched:'

/** Labels by number, as a filter chooses them. */
export interface ChosenLabels {
  /** The labels under which the visitors of each count. */
  counted: ReadonlyMap<number, readonly string[]>
  /** The agents whose visitors count if they read the page of the filter; without a page, all chosen agents. */
  agents: ReadonlyMap<number, { agent: string; counted: readonly string[] }>
}

/** @param labels all labels of a project by number */
export function chooseLabels(
  labels: ReadonlyMap<number, string>,
  { filter = {}, isWanted = () => true }: LabelChoice = {},
): ChosenLabels {
  const counted = new Map<number, readonly string[]>()
  const agents = new Map<number, { agent: string; counted: readonly string[] }>()
  const listCounted = createChooser(filter)
  for (const [number, text] of labels) {
    const label = parseLabel(text)
    const found = label ? listCounted(text, label).filter(isWanted) : []
    if (found.length === 0) continue
    if (label?.type === 'agent') agents.set(number, { agent: label.agent, counted: found })
    if (label?.type !== 'agent' || filter.page === undefined) counted.set(number, found)
  }
  return { counted, agents }
}

/** Whether a label counts all visitors that a filter matches. */
export function isMatchedLabel(label: string): boolean {
  return label.startsWith(matched)
}

/** Returns the counts of the visitors that a filter matches. */
export function toMatchedTotals(labels: ReadonlyMap<string, number>): VisitorCounts {
  const count = (kind: string) => labels.get(matched + kind) ?? 0
  return { human: count('human'), ai: count('ai'), total: count('') }
}

/** Returns a function that lists the labels under which a label counts; none if the filter does not choose it. */
function createChooser(filter: VisitFilter): (text: string, label: Label) => readonly string[] {
  const listAll = (text: string) => listCountedLabels(text, findAgentUse)
  if (!hasFilter(filter)) return listAll
  const hasAgent = createAgentTest(filter)
  const hasSite = createSiteTest(filter)
  const hasPage = (path: string | undefined) => filter.page === undefined || filter.page === path
  const isPage = isOnlyPage(filter)
  return (text, label) => {
    switch (label.type) {
      case 'agent':
        return hasAgent(label.agent) ? [...listAll(text), `${matched}ai`, matched] : []
      case 'read':
        return filter.page === undefined && hasAgent(label.agent) ? [text] : []
      case 'referral':
        return hasSite(label.site ?? '') && hasPage(label.path) ? [...listAll(text), `${matched}human`, matched] : []
      case 'failed': {
        const { kind, path = '', from } = label
        // Whose they are is not known. They only tell that there are more.
        if (isBeyond(path)) return filter.page === undefined ? [text] : []
        const isFrom = isPage || (from !== undefined && (kind === 'ai' ? hasAgent(from) : hasSite(from)))
        return isFrom && hasPage(path) ? listAll(text) : []
      }
    }
    return []
  }
}

function createAgentTest({ agent, class: use, assistant, referrer }: VisitFilter): (key: string) => boolean {
  const ofAssistant = listAssistants().find(known => isSameName(known.assistant, assistant))?.agents ?? []
  return key => {
    const found = parseAgentKey(key)
    return (
      referrer === undefined &&
      (agent === undefined || isSameName(found.agent, agent)) &&
      (use === undefined || found.use === use) &&
      (assistant === undefined || ofAssistant.includes(found.agent))
    )
  }
}

function createSiteTest({ agent, class: use, assistant, referrer }: VisitFilter): (site: string) => boolean {
  return site =>
    agent === undefined &&
    use === undefined &&
    (referrer === undefined || site === referrer) &&
    (assistant === undefined || isSameName(findAssistantSite(site)?.assistant ?? site, assistant))
}

function isSameName(name: string, other: string | undefined): boolean {
  return name.toLowerCase() === other?.toLowerCase()
}
