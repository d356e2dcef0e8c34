import { OperatorError } from '../../base/operator-error.ts'

/** A cookie as the browser had it when the login was recorded. */
export interface RecordedCookie {
  name: string
  value: string
  /** A host, or with a dot at its start a domain and its subdomains. */
  domain: string
  path: string
  /** An instant; null = until the browser is closed. */
  expiresAt: number | null
  secure: boolean
  httpOnly: boolean
}

/** What a browser knew after somebody signed in to a site. All of it is secret. */
export interface RecordedLogin {
  format: typeof format
  /** The page of the site on which the login ended. It is requested to learn whether the login still works. */
  landing: string
  /** Whether that page has a hidden field for a password all the same. */
  hasPasswordField: boolean
  recordedAt: number
  cookies: RecordedCookie[]
  /** The local storage of the site. */
  storage: Record<string, string>
  /** Headers by which scripts of that page signed in to the site's own data, by the address of the data. */
  headers: Record<string, Record<string, string>>
}

const format = 'quire-login-1'

export function createRecordedLogin(login: Omit<RecordedLogin, 'format'>): RecordedLogin {
  return { format, ...login }
}

/** @throws {OperatorError} if the text is no recorded login. Names the place and nothing of the text. */
export function parseRecordedLogin(text: string, place: string): RecordedLogin {
  try {
    const login = JSON.parse(text) as RecordedLogin
    if (login.format === format && URL.canParse(login.landing)) return login
  } catch {
    // The message of the parser would quote the text.
  }
  throw new OperatorError(`${place} has no recorded login. Record one with: npx quire login`)
}

/** Decides whether a cookie is sent to a host (RFC 6265, 5.1.3). */
export function isForHost({ domain }: Pick<RecordedCookie, 'domain'>, host: string): boolean {
  return domain.startsWith('.') ? host === domain.slice(1) || host.endsWith(domain) : host === domain
}

/** When something of a login ends, and its name; sorted by time. Cookies that end with the browser are left out. */
export function listEnds({ cookies, storage }: RecordedLogin): { name: string; at: number; isToken: boolean }[] {
  const tokens = Object.entries(storage).flatMap(([name, value]) => {
    const at = readTokenEnd(value)
    return at === null ? [] : [{ name: `${name} in local storage`, at, isToken: true }]
  })
  const timed = cookies.flatMap(({ name, expiresAt, httpOnly }) =>
    expiresAt === null ? [] : [{ name: `the cookie ${name}`, at: expiresAt, isToken: httpOnly }],
  )
  return [...tokens, ...timed].sort((a, b) => a.at - b.at)
}

/**
 * Checks the times of a login before an export begins.
 *
 * @param withinMs how long the export may take.
 * @return a warning if something of the login ends before; null = nothing does.
 * @throws {OperatorError} if nothing of it works any more.
 */
export function checkLoginTimes(login: RecordedLogin, now: number, withinMs: number): string | null {
  const ends = listEnds(login)
  const ended = ends.filter(({ at }) => at <= now)
  const ending = ends.find(({ at }) => at > now && at <= now + withinMs)
  const isLasting = login.cookies.some(({ expiresAt, httpOnly }) => httpOnly && expiresAt === null)
  const last = ended.at(-1)
  if (last && !isLasting && ends.filter(({ isToken }) => isToken).every(({ at }) => at <= now))
    throw new OperatorError(
      `The recorded login has expired: ${last.name} ended ${new Date(last.at).toISOString()}. Record it again with: npx quire login`,
    )
  const named = ending ?? last
  if (!named) return null
  const when = `${named.at <= now ? 'ended' : 'ends'} ${new Date(named.at).toISOString()}`
  return `Of the recorded login, ${named.name} ${when}. If the export fails, record the login again with: npx quire login`
}

/** Reads the end of a JSON Web Token (RFC 7519, 4.1.4); null = the text is none, or has no end. */
function readTokenEnd(value: string): number | null {
  const [, payload = ''] = value.replaceAll('"', '').split('.')
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : null
  } catch {
    return null
  }
}

/** Returns those of the headers of a script that may sign in its request: Authorization, and names of its own. */
export function pickSigning(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:authorization$|x-)/i.test(name)))
}
