import type { AskedAnswer } from '../model/site-cache.ts'

/** The requests of one export, each with a digest of its answer. */
export interface RequestLog {
  /** @param isRead whether the digest covers the body. */
  note(request: AskedAnswer, isRead: boolean): void
  list(): AskedAnswer[]
}

export function createRequestLog(): RequestLog {
  const entries = new Map<string, { request: AskedAnswer; isRead: boolean }>()
  return {
    note(request, isRead) {
      const key = `${request.accept} ${request.asked}`
      // When a request is repeated, a digest that covers the body takes precedence.
      if (isRead || !entries.get(key)?.isRead) entries.set(key, { request, isRead })
    },
    list: () => [...entries.values()].map(({ request }) => request),
  }
}
