import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const loginUser = 'reader'
export const loginPassword = 'correct-horse-7'

/** The steps that sign in, with the password in this variable. */
export const loginSteps = [
  { open: '/login' },
  { fill: '#user', value: loginUser },
  { fill: 'input[name=password]', 'value-env': 'LOGIN_PASSWORD' },
  { click: 'text=Sign in' },
  { wait: '#content' },
]
  .map(step => JSON.stringify(step))
  .join('\n')

export interface LoginSite {
  origin: URL
  /** Every cookie and token that the site gave to a browser. A form's token is in the form, and works only there and once. */
  secrets: Set<string>
  /** The paths of requests that had no valid session. */
  refused: string[]
  /** The values of the Cookie header, by path. */
  cookies: Map<string, string>
  /** Ends all sessions after so many further requests for pages. */
  endAfter(pages: number): void
  close(): Promise<void>
}

const pageCount = 9
const words = (name: string) => Array.from({ length: 30 }, (_, at) => `${name}word${at}`).join(' ')

/**
 * Starts a site behind a form with a CSRF token. It knows readers by a session cookie, wants a second cookie that it sets on the
 * way, and one section of each page is fetched by a script with a token that only local storage has.
 */
export async function startLoginSite(): Promise<LoginSite> {
  const sessions = new Set<string>()
  const tokens = new Set<string>()
  const forms = new Set<string>()
  const secrets = new Set<string>()
  const refused: string[] = []
  const cookies = new Map<string, string>()
  let pagesLeft = Number.POSITIVE_INFINITY

  let given = 0
  function give(kept: Set<string>, isSecret = true): string {
    const value = createHash('sha256').update(`value ${++given}`).digest('hex')
    kept.add(value)
    if (isSecret) secrets.add(value)
    return value
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const given = readCookies(request)
    cookies.set(pathname, request.headers.cookie ?? '')
    if (pathname === '/login' && request.method === 'POST') return signIn(await readForm(request), response)
    if (pathname === '/login') return send(response, loginPage(give(forms, false)))
    if (pathname === '/public.css') return send(response, 'body { color: black }', 'text/css')
    if (pathname.startsWith('/api/')) {
      if (tokens.has((request.headers.authorization ?? '').replace('Bearer ', '')))
        return send(response, JSON.stringify({ text: words(pathname.slice(5)) }), 'application/json')
      refused.push(pathname)
      return void response.writeHead(401).end('{}')
    }
    if (!sessions.has(given.get('session') ?? '')) {
      refused.push(pathname)
      return void response.writeHead(302, { location: `/login?next=${pathname}` }).end()
    }
    if (pathname === '/logout') {
      sessions.clear()
      return void response.writeHead(302, { location: '/login' }).end()
    }
    if (!given.has('rolling'))
      return void response
        .writeHead(302, { location: pathname, 'set-cookie': `rolling=${give(new Set())}; Path=/; HttpOnly` })
        .end()
    if (pathname === '/welcome')
      return send(response, `<script>localStorage.access_token = '${give(tokens)}'; location = '/'</script>`)
    pagesLeft -= 1
    if (pagesLeft < 0) sessions.clear()
    const name = pathname.slice(1) || 'home'
    if (name !== 'home' && !/^page\d$/.test(name)) return void response.writeHead(404).end('no')
    send(response, contentPage(name))
  })

  function signIn(form: URLSearchParams, response: ServerResponse): void {
    const isRight = form.get('user') === loginUser && form.get('password') === loginPassword
    if (!isRight || !forms.delete(form.get('csrf') ?? '')) {
      send(response, loginPage(give(forms, false)))
      return
    }
    response.writeHead(302, { location: '/welcome', 'set-cookie': `session=${give(sessions)}; Path=/; HttpOnly` }).end()
  }

  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return {
    ...{ origin, secrets, refused, cookies },
    endAfter(pages) {
      pagesLeft = pages
    },
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

function loginPage(csrf: string): string {
  return `<!doctype html><title>Sign in</title><h1>Sign in</h1><form method="post" action="/login">
<input type="hidden" name="csrf" value="${csrf}"><input id="user" name="user"><input type="password" name="password">
<button>Sign in</button></form>`
}

function contentPage(name: string): string {
  const links = Array.from({ length: pageCount }, (_, at) => `<a href="/page${at}">page ${at}</a>`).join(' ')
  return `<!doctype html><title>${name}</title><link rel="stylesheet" href="/public.css"><nav>${links} <a href="/logout">Sign out</a></nav>
<main id="content"><h1>${name}</h1><p>${words(name)}</p><div id="more"></div></main>
<script>
fetch('/api/section-${name}', { headers: { authorization: 'Bearer ' + localStorage.access_token } })
  .then(answer => answer.json()).then(({ text }) => { document.querySelector('#more').textContent = text })
</script>`
}

function send(response: ServerResponse, body: string, type = 'text/html'): void {
  response.writeHead(200, { 'content-type': type }).end(body)
}

function readCookies({ headers }: IncomingMessage): Map<string, string> {
  const pairs = (headers.cookie ?? '').split('; ').map(pair => pair.split('=') as [string, string])
  return new Map(pairs)
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) text += chunk
  return new URLSearchParams(text)
}
