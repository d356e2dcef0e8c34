import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer, Fetcher } from '../../web/fetch/fetcher.ts'
import type { RecordedLogin } from '../../web/login/recorded-login.ts'
import { ExportError } from '../model/export-error.ts'
import type { Outcomes } from '../model/resource.ts'
import { linkKey, type Site } from '../model/site.ts'

/** Notices that a site answers with its login page instead of its content. */
export interface LoginWatch {
  /**
   * Requests the page on which the recorded login ended.
   *
   * @throws {ExportError} when the login does not work any more.
   */
  confirm(): Promise<void>
  /** Looks at an answer for a page. */
  noteAnswer(key: string, asked: URL, answer: Pick<Answer, 'url' | 'status' | 'redirected'>): void
  /** Looks at a page, as the site sent it or as a browser shows it. */
  notePage(key: string, html: Buffer, readWords: () => readonly string[]): void
  /** An answer may be due to the end of the login: asks the site, and ends the export if so. */
  suspect(): void
  /** @throws {ExportError} when the login ended after the site was last asked. */
  finish(): Promise<void>
  /**
   * Returns notes for the report.
   *
   * @throws {ExportError} when the site gave its login page and little else.
   */
  check(found: Pick<Outcomes, 'pages'> & { start: URL }, allowLoss: boolean): string[]
}

interface WatchOptions {
  site: Site
  /** Null = the export uses none. */
  login: RecordedLogin | null
  /** Creates a fetcher without a cache, which sends the login. */
  createFetcher(): Fetcher
  /** Ends the whole export. */
  abort(error: unknown): void
}

const maxPageBytes = 8 * 1024 ** 2
/** So many addresses with the login page are no coincidence. */
const minWalled = 3
const refused = 'status 401'

export function createLoginWatch({ site, login, createFetcher, abort }: WatchOptions): LoginWatch {
  /** Addresses that need a login, with what they answer. */
  const walled = new Map<string, string>()
  /** Pages with a password field, with a digest of their words. */
  const forms = new Map<string, string>()
  let suspected = 0
  let asked = 0
  let isAsking = false

  async function confirm(): Promise<void> {
    asked = suspected
    const reason = login && (await findEnd(login, site, createFetcher()))
    if (reason)
      throw new ExportError(
        `The recorded login of ${site.domain} has ended: ${reason}. Record it again with: npx quire login`,
        'login',
      )
  }

  function suspect(): void {
    suspected += 1
    // Seldom, because some pages are forbidden to this login or are about passwords.
    if (!login || isAsking || suspected < 2 * asked) return
    isAsking = true
    confirm()
      .catch(abort)
      .finally(() => {
        isAsking = false
      })
  }

  return {
    confirm,
    suspect,
    noteAnswer(key, { href }, { url, status, redirected }) {
      const isLogin = redirected && looksLikeLogin(url) && !looksLikeLogin(new URL(href))
      if (status === 401) walled.set(key, refused)
      if (isLogin) walled.set(key, `its login page (${url.host === site.origin.host ? url.pathname : url.host})`)
      if (isLogin || status === 401 || status === 403) suspect()
    },
    notePage(key, html, readWords) {
      if (!hasPasswordField(html)) return
      forms.set(key, digest(readWords().join(' ')))
      suspect()
    },
    async finish() {
      if (suspected > asked) await confirm()
    },
    check: (found, allowLoss) => checkWalls({ ...found, site, walled, forms }, allowLoss),
  }
}

interface Walls extends Pick<Outcomes, 'pages'> {
  site: Site
  start: URL
  walled: Map<string, string>
  forms: ReadonlyMap<string, string>
}

function checkWalls({ site, start, pages, walled, forms }: Walls, allowLoss: boolean): string[] {
  for (const key of findRepeated(forms)) walled.set(key, `its login page (${new URL(key).pathname})`)
  const first = walled.get(linkKey(start))
  // The order of the answers must not show in the report.
  const [example, place] = first === undefined ? ([...walled].sort()[0] ?? []) : [start.href, first]
  if (example === undefined) return []
  const content = [...pages].filter(([key, { state }]) => state === 'page' && !forms.has(key) && !walled.has(key))
  const hasForm = [...forms.keys()].some(key => first?.includes(`(${new URL(key).pathname})`))
  const isStart = first !== undefined && first !== refused && (hasForm || content.length === 0)
  const path = example.slice(site.origin.origin.length)
  const count = walled.size === 1 ? '1 address needs' : `${walled.size} addresses need`
  if (!isStart && (allowLoss || walled.size < minWalled || walled.size <= content.length))
    return [`${count} a login, such as ${path}. The bundle does not have what is behind it.`]
  throw new ExportError(
    `${site.domain} answers with ${place} instead of ${path}: ${count} a login. Record a login with npx quire login, or use npx quire export --header.`,
    'login',
  )
}

/** Returns why the login does not work any more; null = it works, or the site cannot be asked. */
async function findEnd(login: RecordedLogin, site: Site, fetcher: Fetcher): Promise<string | null> {
  try {
    for (const address of [login.landing, ...Object.keys(login.headers).slice(0, 1)]) {
      const answer = await fetcher.open(new URL(address), 'text/html,*/*;q=0.8')
      const { pathname } = new URL(address)
      const isLogin = looksLikeLogin(answer.url) && !looksLikeLogin(new URL(address))
      const isLeft = answer.redirected && (site.own(answer.url) === null || isLogin)
      const body = answer.type === 'text/html' ? await answer.read(maxPageBytes) : null
      if (body === null) await answer.drop()
      if (answer.status === 401 || answer.status === 403) return `${pathname} answers with status ${answer.status}`
      if (isLeft) return `${pathname} redirects to ${answer.url.host}${answer.url.pathname}`
      if (body && !login.hasPasswordField && hasPasswordField(body)) return `${pathname} shows a login form`
    }
    return null
  } catch (error) {
    if (error instanceof FetchError) return null
    throw error
  } finally {
    await fetcher.close()
  }
}

/** Returns the pages with a password field that are all the same page, if they are many. */
function findRepeated(forms: ReadonlyMap<string, string>): string[] {
  const same = Map.groupBy(forms.keys(), key => forms.get(key) ?? '')
  return [...same.values()].filter(keys => keys.length >= minWalled).flat()
}

function looksLikeLogin({ hostname, pathname, search }: URL): boolean {
  return /\b(?:user)?(?:log|sign)[-_]?[io]n\b|\b(?:oauth2?|sso|saml2?|idp|auth)\b/i.test(hostname + pathname + search)
}

function hasPasswordField(html: Buffer): boolean {
  return ['"password"', "'password'", 'password'].some(value => html.includes(`type=${value}`))
}
