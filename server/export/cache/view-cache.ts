import { digest, digestJson } from '../../base/digest.ts'
import { createQueue } from '../../base/queue.ts'
import type { Answerer, BrowserAnswer, BrowserRequest } from '../../web/browser/browser-request.ts'
import { describeBrowser } from '../../web/browser/find-browser.ts'
import type { LoginSecrets } from '../../web/login/login-secrets.ts'
import type { ExportReuse } from '../model/options.ts'
import type { CachedView } from '../model/site-cache.ts'
import { digestAnswer } from './answer-digest.ts'

/** Caches the results of pages shown in a browser. A result is valid while the page's requests get the same answers. */
export interface ViewCache {
  /**
   * Returns the stored view of the subject if all of its requests get the same answers as before. Otherwise calls `show` and
   * stores the result. In both cases, the page's requests are made, and so are the requests that follow from their answers.
   *
   * @param subject a JSON value with all other data that the view depends on.
   * @param show returns a JSON value; null is not stored.
   */
  see<T>(subject: unknown, answer: Answerer, show: (answer: Answerer) => Promise<T>): Promise<T>
  /** Resolves when all views are stored. */
  settle(): Promise<void>
}

/** A cache that stores nothing. */
export const noViewCache: ViewCache = { see: (_, answer, show) => show(answer), settle: async () => {} }

/** A cache that stores nothing, for a site behind a recorded login: what its scripts say must not contain the login. */
export function createSecretViews({ redact }: Pick<LoginSecrets, 'redact'>): ViewCache {
  return {
    async see<T>(_: unknown, answer: Answerer, show: (answer: Answerer) => Promise<T>): Promise<T> {
      return JSON.parse(redact(Buffer.from(JSON.stringify(await show(answer)))).toString()) as T
    },
    settle: async () => {},
  }
}

/** Max views whose requests are made in parallel. A browser shows the same number of pages in parallel. */
const parallelViews = 4

export function createViewCache({ cache, run, engine }: ExportReuse): ViewCache {
  const browser = describeBrowser()
  const queue = createQueue(parallelViews)
  const open = new Set<Promise<void>>()

  async function isSame({ given }: CachedView, answer: Answerer): Promise<boolean> {
    const answers = await Promise.all(
      given.map(
        async ([request, digest]) => digestGiven(await answer(JSON.parse(request) as BrowserRequest)) === digest,
      ),
    )
    return answers.every(Boolean)
  }

  async function recall(key: string, answer: Answerer): Promise<Buffer | null> {
    const known = cache.findView(key)
    if (!known || !(await isSame(known, answer))) return null
    const bytes = await cache.readBody(known.body)
    if (bytes && known.run !== run) cache.putView({ ...known, run })
    return bytes
  }

  async function store(key: string, given: Map<string, Promise<string>>, shown: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(shown))
    const body = { sha256: digest(bytes), sizeBytes: bytes.length }
    const digests = await Promise.all([...given].map(async ([request, digest]) => [request, await digest] as const))
    if (await cache.keepBody(bytes, body)) cache.putView({ key, given: digests.map(pair => [...pair]), body, run })
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
        // `store` awaits this promise and sees the error. A failed export ends before `store` runs.
        digested.catch(() => {})
        given.set(JSON.stringify(request), digested)
        return answered
      })
      if (shown !== null) {
        const work = store(key, given, shown)
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

/** Caches digests, because many requests get the same body. */
const bodyDigests = new WeakMap<Buffer, string>()

function digestGiven(answer: BrowserAnswer | null): string {
  if (!answer) return 'refused'
  const known = bodyDigests.get(answer.body) ?? digest(answer.body)
  bodyDigests.set(answer.body, known)
  return digestAnswer({ status: answer.status, url: '', headers: answer.headers }, known)
}
