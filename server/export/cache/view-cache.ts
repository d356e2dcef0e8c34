import { digest, digestJson } from '../../base/digest.ts'
import { createQueue } from '../../base/queue.ts'
import type { Answerer, BrowserAnswer, BrowserRequest } from '../../web/browser/browser-request.ts'
import { describeBrowser } from '../../web/browser/find-browser.ts'
import type { ExportReuse } from '../model/options.ts'
import type { RememberedView } from '../model/site-cache.ts'
import { digestAnswer } from './answer-digest.ts'

/** What browsers saw before, for as long as they would be given the same. */
export interface ViewCache {
  /**
   * Gives what was seen before of the same subject when everything that it asked for then is answered the same now;
   * else lets it be shown and remembers that. The requests are made in both cases, so what follows from them does, too.
   *
   * @param subject a JSON value that names all the rest that the view depends on.
   * @param show gives a JSON value; null is not remembered.
   */
  see<T>(subject: unknown, answer: Answerer, show: (answer: Answerer) => Promise<T>): Promise<T>
  /** Resolves when everything seen is remembered. */
  settle(): Promise<void>
}

/** Remembers nothing. */
export const noViewCache: ViewCache = { see: (_, answer, show) => show(answer), settle: async () => {} }

/** Views whose requests are made at once, as many as a browser would show. */
const parallelViews = 4

export function createViewCache({ memory, run, engine }: ExportReuse): ViewCache {
  const browser = describeBrowser()
  const queue = createQueue(parallelViews)
  const open = new Set<Promise<void>>()

  async function isSame({ given }: RememberedView, answer: Answerer): Promise<boolean> {
    const answers = await Promise.all(
      given.map(
        async ([request, digest]) => digestGiven(await answer(JSON.parse(request) as BrowserRequest)) === digest,
      ),
    )
    return answers.every(Boolean)
  }

  async function recall(key: string, answer: Answerer): Promise<Buffer | null> {
    const known = memory.findView(key)
    if (!known || !(await isSame(known, answer))) return null
    const bytes = await memory.readBody(known.body)
    if (bytes && known.run !== run) memory.putView({ ...known, run })
    return bytes
  }

  async function remember(key: string, given: Map<string, Promise<string>>, shown: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(shown))
    const body = { sha256: digest(bytes), sizeBytes: bytes.length }
    const digests = await Promise.all([...given].map(async ([request, digest]) => [request, await digest] as const))
    if (await memory.keepBody(bytes, body)) memory.putView({ key, given: digests.map(pair => [...pair]), body, run })
  }

  return {
    async see<T>(subject: unknown, answer: Answerer, show: (answer: Answerer) => Promise<T>): Promise<T> {
      const key = digestJson({ subject, engine, browser })
      const known = await queue.add(() => recall(key, answer))
      if (known) return JSON.parse(known.toString()) as T
      const given = new Map<string, Promise<string>>()
      const shown = await show(request => {
        const answered = answer(request)
        const digested = answered.then(digestGiven)
        // Heard of when the view is remembered, which a failed export does not come to.
        digested.catch(() => {})
        given.set(JSON.stringify(request), digested)
        return answered
      })
      if (shown !== null) {
        const work = remember(key, given, shown)
          .catch(() => {})
          .finally(() => open.delete(work))
        open.add(work)
      }
      return shown
    },
    async settle() {
      await Promise.all(open)
    },
  }
}

/** Bodies are given again and again: each is hashed once. */
const bodyDigests = new WeakMap<Buffer, string>()

function digestGiven(answer: BrowserAnswer | null): string {
  if (!answer) return 'refused'
  const known = bodyDigests.get(answer.body) ?? digest(answer.body)
  bodyDigests.set(answer.body, known)
  return digestAnswer({ status: answer.status, url: '', headers: answer.headers }, known)
}
