/** The filters whose counts are exact. All that are set must match. */
export const filterNames = ['page', 'agent', 'class', 'assistant', 'referrer'] as const
export type FilterName = (typeof filterNames)[number]

/** Chooses visits. A page is chosen by its counters, and the others by the visitors of labels, see `labels.ts`. */
export interface VisitFilter {
  /** A canonical path. */
  page?: string | undefined
  /** The name of an AI agent, in upper or lower case. */
  agent?: string | undefined
  /** A use of AI agents, see `AgentUse`. */
  class?: string | undefined
  /** The name of an AI assistant, in upper or lower case: its agents, and the people who came from it. */
  assistant?: string | undefined
  /** The site of an AI assistant that people came from. */
  referrer?: string | undefined
}

/** Chooses labels to count. */
export interface LabelChoice {
  filter?: VisitFilter | undefined
  /** Whether the visitors of a label are wanted. Each label takes time. Default: all labels. */
  isWanted?: ((label: string) => boolean) | undefined
}

export function hasFilter(filter: VisitFilter): boolean {
  return filterNames.some(name => filter[name] !== undefined)
}

/** Whether a filter chooses all visitors of one page. */
export function isOnlyPage(filter: VisitFilter): filter is { page: string } {
  return filter.page !== undefined && !hasFilter({ ...filter, page: undefined })
}
