/** Streams of events that an organization may have open at once, on each server. */
export const maxStreams = 20
/** A stream ends after this time, so that its client shows its key again. */
export const maxStreamMs = 10 * 60_000

/** Limits how many streams of events an organization has open. */
export interface StreamLimit {
  /** Opens a stream and returns what closes it; undefined = the organization has too many. */
  open(organizationId: string): (() => void) | undefined
}

/** Creates a limit of this process. Also a stream that nobody closes counts only as long as it may last. */
export function createStreamLimit(now: () => number, most = maxStreams): StreamLimit {
  const all = new Map<string, Set<{ since: number }>>()
  return {
    open(organizationId) {
      const streams = all.get(organizationId) ?? new Set()
      for (const stream of streams) if (now() - stream.since > 2 * maxStreamMs) streams.delete(stream)
      if (streams.size >= most) return undefined
      const stream = { since: now() }
      streams.add(stream)
      all.set(organizationId, streams)
      return () => {
        streams.delete(stream)
        if (streams.size === 0 && all.get(organizationId) === streams) all.delete(organizationId)
      }
    },
  }
}
