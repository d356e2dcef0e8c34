import type { BrowserAnswer } from '../../web/browser/browser-request.ts'

/** Caches answers between pages, because most pages of a site load the same scripts and data. */
export interface AnswerCache {
  /** Fetches an answer unless it is cached or under way. Failures are not cached. */
  get(key: string, fetch: () => Promise<BrowserAnswer>): Promise<BrowserAnswer>
  put(key: string, answer: BrowserAnswer): void
}

/** Max bytes cached before the cache is emptied. */
const maxBytes = 64 * 1024 ** 2

export function createAnswerCache(): AnswerCache {
  const answers = new Map<string, Promise<BrowserAnswer>>()
  let keptBytes = 0

  function count({ body }: BrowserAnswer): void {
    keptBytes += body.length
    if (keptBytes <= maxBytes) return
    answers.clear()
    keptBytes = 0
  }

  return {
    get(key, fetch) {
      const known = answers.get(key)
      if (known) return known
      const fetched = fetch()
      answers.set(key, fetched)
      fetched.then(count, () => answers.delete(key))
      return fetched
    },
    put(key, answer) {
      answers.set(key, Promise.resolve(answer))
      count(answer)
    },
  }
}
