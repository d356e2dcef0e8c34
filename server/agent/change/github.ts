import type { Credential } from '../agent-source.ts'
import { RunError } from '../run-end.ts'
import { checkLink } from './remote-lines.ts'

export interface GithubRequest {
  /** The address of the repository. */
  repository: URL
  credential: Credential | null
  /** Default: https://api.github.com, or the API of a GitHub Enterprise server by the host of the repository. */
  api?: URL | undefined
  fetch?: typeof fetch | undefined
  signal: AbortSignal
  head: string
  base: string
  title: string
  body: string
  isDraft: boolean
}

const timeoutMs = 30_000
const maxAnswerBytes = 4 << 20

/** Asks GitHub for a pull request of a branch, and returns its address. If the branch has an open one, that one stays as it is. */
export async function requestGithub(request: GithubRequest): Promise<string | null> {
  const [owner, name, ...more] = request.repository.pathname
    .replace(/^\//, '')
    .replace(/\/$|\.git\/?$/, '')
    .split('/')
  if (!owner || !name || more.length > 0)
    throw refused('The address of the repository does not name an owner and a repository of GitHub.')
  const pulls = new URL(`repos/${owner}/${name}/pulls`, withSlash(request.api ?? findApi(request.repository)))
  const { head, base, title, body } = request
  const answer = await ask(pulls, request, { head, base, title, body, draft: request.isDraft })
  if (answer.status === 201) return readLink(answer.body)
  if (answer.status !== 422) throw describeRefusal(answer.status)
  // An earlier attempt has made it. `draft` is also answered so by plans that have no drafts.
  const query = new URLSearchParams({ head: `${owner}:${head}`, base, state: 'open', per_page: '1' })
  const found = await ask(new URL(`?${query}`, pulls), request)
  if (found.status !== 200) throw describeRefusal(found.status)
  if (Array.isArray(found.body) && found.body.length > 0) return readLink(found.body[0])
  if (!request.isDraft) throw refused('GitHub did not accept the pull request. The branch is pushed; open it by hand.')
  return requestGithub({ ...request, isDraft: false })
}

function findApi(repository: URL): URL {
  const { hostname, host } = repository
  if (hostname === 'github.com' || hostname === 'www.github.com') return new URL('https://api.github.com')
  // GitHub Enterprise Cloud with a region.
  if (hostname.endsWith('.ghe.com')) return new URL(`https://api.${hostname}`)
  return new URL(`https://${host}/api/v3`)
}

/** A relative address replaces what follows the last slash. */
function withSlash(url: URL): URL {
  return new URL(url.href.replace(/\/?$/, '/'))
}

async function ask(url: URL, request: GithubRequest, content?: object): Promise<{ status: number; body: unknown }> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
  try {
    const answer = await (request.fetch ?? fetch)(url, {
      method: content ? 'POST' : 'GET',
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'quire',
        ...(request.credential ? { authorization: `Bearer ${request.credential.secret}` } : {}),
        ...(content ? { 'content-type': 'application/json' } : {}),
      },
      ...(content ? { body: JSON.stringify(content) } : {}),
      // The token belongs to this host only.
      redirect: 'manual',
      signal,
    })
    return { status: answer.status, body: await readJson(answer) }
  } catch (error) {
    request.signal.throwIfAborted()
    throw refused('GitHub did not answer the request for a pull request. The branch is pushed; try again.', error)
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  const reader = answer.body?.getReader()
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    bytes += read.value.length
    if (bytes > maxAnswerBytes) throw new Error('The answer is too large.')
    pieces.push(read.value)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    return undefined
  }
}

function readLink(pull: unknown): string | null {
  const link = typeof pull === 'object' && pull !== null && 'html_url' in pull ? pull.html_url : undefined
  return typeof link === 'string' ? checkLink(link) : null
}

function describeRefusal(status: number): RunError {
  if (status === 401 || status === 403 || status === 404)
    return refused(
      'GitHub refused the token for pull requests. Give it the permission to write pull requests of this repository.',
    )
  return refused(`GitHub answered ${status} to the request for a pull request. The branch is pushed; try again.`)
}

function refused(message: string, cause?: unknown): RunError {
  return new RunError('push_refused', message, { cause })
}
