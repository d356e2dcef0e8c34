import { createHostTurns, type HostTurns } from '../../web/fetch/host-turns.ts'

/** The limits that the exports of one process share, so that several at once need little more than one. */
export interface SharedLimits {
  /** Requests to each host. */
  hosts: HostTurns
  /** Returns the share of one export in something that an export alone may use as a whole; at least 1. */
  share(whole: number): number
}

/**
 * Creates the limits that the exports of a process share.
 *
 * @param connections parallel requests to one host, of all exports together.
 * @param countExports returns how many exports run now.
 */
export function createSharedLimits(connections: number, countExports: () => number): SharedLimits {
  return {
    hosts: createHostTurns(connections),
    share: whole => Math.max(1, Math.floor(whole / Math.max(1, countExports()))),
  }
}
