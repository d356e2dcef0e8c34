import { createId } from '../../server/tenancy/id.ts'
import type { Person } from '../../server/tenancy/person.ts'
import { createSecret, hashSecret, signInLinkMs } from '../../server/tenancy/sign-in.ts'
import type { TestServer } from '../support/server.ts'

/** A signed-in browser without scripts: it keeps its cookie and the token of the last page. */
export interface DashboardClient {
  person: Person
  cookie: string
  /** Opens a page below `/dashboard/`, without following redirects. */
  open(path: string, headers?: Record<string, string>): Promise<Response>
  /** Opens a page and returns its text. */
  read(path: string): Promise<string>
  /** Sends a form as a page of the session would. */
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>
}

/** Stores a person. */
export async function createPerson(
  { store }: TestServer,
  organizationId: string | null,
  name = 'Ada',
): Promise<Person> {
  const person = { id: createId('usr'), organizationId, name, createdAt: Date.now() }
  await store.people.insert(person)
  return person
}

/** Stores a sign-in link and returns its token. */
export async function createToken({ store }: TestServer, { id }: Person, now = Date.now()): Promise<string> {
  const token = createSecret()
  const expiresAt = now + signInLinkMs
  await store.signInLinks.insert({ tokenSha256: hashSecret(token), personId: id, createdAt: now, expiresAt })
  return token
}

/** Sends the form of the page to sign in. */
export function sendSignIn(
  { url }: TestServer,
  token: string,
  headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' },
): Promise<Response> {
  return fetch(`${url}/dashboard/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers,
    redirect: 'manual',
  })
}

/** Signs in a person by a link. */
export async function signIn(server: TestServer, person: Person): Promise<DashboardClient> {
  const answer = await sendSignIn(server, await createToken(server, person))
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (answer.status !== 303 || cookie === undefined) throw new Error(`The link was answered by ${answer.status}.`)
  const request = (path: string, init: RequestInit) =>
    fetch(`${server.url}/dashboard/${path}`, { ...init, redirect: 'manual' })
  let token = ''
  const open: DashboardClient['open'] = async (path, headers = {}) =>
    request(path, { headers: { Cookie: cookie, ...headers } })
  return {
    person,
    cookie,
    open,
    async read(path) {
      const text = await (await open(path)).text()
      token = /name="token" value="([\w-]+)"/.exec(text)?.[1] ?? token
      return text
    },
    async send(path, fields, headers = {}) {
      return request(path, {
        method: 'POST',
        body: new URLSearchParams({ token, ...fields }),
        headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', ...headers },
      })
    },
  }
}
