import { readFile, writeFile } from 'node:fs/promises'
import { digest } from '../../base/digest.ts'
import { createLoginSecrets, type LoginSecrets } from '../login/login-secrets.ts'
import { isForHost, pickSigning, type RecordedCookie, type RecordedLogin } from '../login/recorded-login.ts'
import type { Answer } from './answer.ts'

/** A recorded login while an export uses it. What the site changes of it is kept in memory and ends with the export. */
export type LoginSession = ReturnType<typeof openLoginSession>

/** @param now for tests */
export function openLoginSession(login: RecordedLogin, now: () => number = Date.now) {
  const site = new URL(login.landing)
  const secrets = createLoginSecrets(login)
  const cookies = new Map(login.cookies.map(cookie => [nameCookie(cookie), cookie]))
  const headers = new Map(Object.entries(login.headers))
  /** A cookie does not tell ports apart (RFC 6265, 8.5). Another port may be another program, and http may be overheard. */
  const isOfSite = (url: URL) =>
    url.protocol === site.protocol && (url.hostname !== site.hostname || url.port === site.port)

  function keep(cookie: RecordedCookie): void {
    const name = nameCookie(cookie)
    cookies.delete(name)
    if (cookie.expiresAt !== null && cookie.expiresAt <= now()) return
    cookies.set(name, cookie)
    secrets.add(cookie.name, cookie.value, cookie.httpOnly)
  }

  function isSent({ expiresAt, secure, path, ...cookie }: RecordedCookie, url: URL): boolean {
    if (expiresAt !== null && expiresAt <= now()) return false
    if (secure && url.protocol !== 'https:' && !isLoopback(url.hostname)) return false
    return isForHost(cookie, url.hostname) && isBelow(url.pathname, path)
  }

  return {
    secrets,
    /** Returns the headers that sign in a request; none for other hosts and paths. */
    headersFor(url: URL): Record<string, string> {
      if (!isOfSite(url)) return {}
      const sent = [...cookies.values()].filter(cookie => isSent(cookie, url))
      // Longer paths first (RFC 6265, 5.4).
      const pairs = sent.sort((a, b) => b.path.length - a.path.length).map(({ name, value }) => `${name}=${value}`)
      const own = url.origin === site.origin ? headers.get(withoutFragment(url)) : undefined
      return { ...own, ...(pairs.length > 0 && { cookie: pairs.join('; ') }) }
    },
    /** Takes over the cookies of an answer. */
    noteCookies(url: URL, setCookie: string | string[] | undefined): void {
      if (setCookie === undefined || !isOfSite(url)) return
      const known = new Set([...cookies.values()].map(({ domain }) => domain))
      for (const text of [setCookie].flat()) {
        const cookie = parseCookie(text, url, now())
        // A domain that the browser did not accept for the login could be that of many sites, such as co.uk.
        if (cookie) keep(known.has(cookie.domain) ? cookie : { ...cookie, domain: url.hostname })
      }
    },
    /** Takes over the headers by which a script of a page signs in its requests to the site. */
    noteHeaders(url: URL, sent: Readonly<Record<string, string>>): void {
      if (url.origin !== site.origin) return
      const signing = pickSigning(sent)
      if (Object.keys(signing).length === 0) return
      headers.set(withoutFragment(url), signing)
      for (const [name, value] of Object.entries(signing)) secrets.add(name, value.replace(/^\w+ /, ''), true)
    },
  }
}

/** Returns the answer without the secrets of the login, so that nothing further on can store them. */
export function redactAnswer(answer: Answer, { redact }: LoginSecrets): Answer {
  const clean = (text: string) => redact(Buffer.from(text, 'latin1')).toString('latin1')
  const isText = answer.type === '' || /^text\/|json|xml|script/.test(answer.type)
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, clean(value)]))
  if (!isText) return { ...answer, headers }
  const read = async (maxBytes: number) => redact(await answer.read(maxBytes))
  return {
    ...answer,
    headers,
    read,
    async save(file, maxBytes) {
      const saved = await answer.save(file, maxBytes)
      const bytes = await readFile(file)
      const kept = redact(bytes)
      if (kept === bytes) return saved
      await writeFile(file, kept)
      return { sizeBytes: kept.length, sha256: digest(kept) }
    },
    async hash(maxBytes) {
      const kept = await read(maxBytes)
      return { sizeBytes: kept.length, sha256: digest(kept) }
    },
  }
}

/** Decides whether a request would end the login: crawlers follow every link. */
export function signsOut({ pathname, searchParams }: URL): boolean {
  const last = pathname.split('/').findLast(part => part !== '') ?? ''
  return [last, ...searchParams.values()].some(name =>
    /^(?:[\w-]+:)?(?:user)?(?:log|sign)[-_]?(?:out|off)(?:\.\w+)?$/i.test(name),
  )
}

function parseCookie(text: string, url: URL, now: number): RecordedCookie | null {
  const [pair = '', ...attributes] = text.split(';')
  const at = pair.indexOf('=')
  if (at < 1) return null
  const given = new Map(
    attributes.map(attribute => {
      const [name = '', ...value] = attribute.split('=')
      return [name.trim().toLowerCase(), value.join('=').trim()]
    }),
  )
  const domain = `.${(given.get('domain') ?? '').replace(/^\./, '').toLowerCase()}`
  if (domain !== '.' && !isForHost({ domain }, url.hostname)) return null
  const seconds = Number.parseInt(given.get('max-age') ?? '', 10)
  const expires = Date.parse(given.get('expires') ?? '')
  const path = given.get('path') ?? ''
  return {
    name: pair.slice(0, at).trim(),
    value: pair.slice(at + 1).trim(),
    domain: domain === '.' ? url.hostname : domain,
    path: path.startsWith('/') ? path : url.pathname.replace(/\/[^/]*$/, '') || '/',
    expiresAt: Number.isNaN(seconds) ? (Number.isNaN(expires) ? null : expires) : now + seconds * 1000,
    secure: given.has('secure'),
    httpOnly: given.has('httponly'),
  }
}

function nameCookie({ name, domain, path }: RecordedCookie): string {
  return [name, domain, path].join(' ')
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.')
}

function withoutFragment({ href }: URL): string {
  return href.split('#', 1)[0] ?? ''
}
