import type { PageOutcome } from '../model/resource.ts'

/** The outcome of a request that returned no page. */
export type NoPage = Exclude<PageOutcome, { state: 'page' }>

const refused = 'refused by robots.txt'

export const refusedByRobots: NoPage = { state: 'skipped', reason: refused }
export const softMissing: NoPage = { state: 'missing', reason: 'same response as the not-found page of the site' }

/** Decides whether another spelling may still lead to the page. */
export function gaveNothing(outcome: PageOutcome): boolean {
  const { state } = outcome
  return state === 'missing' || state === 'failed' || (state === 'skipped' && outcome.reason === refused)
}

/** Returns whether a status says that the server could not answer. It says nothing about whether the page exists. */
export function isServerFailure(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}
