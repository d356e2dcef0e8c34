import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname } from 'node:path'
import { onTestFinished } from 'vitest'

interface GitServer {
  /** The address of the repository. */
  url: string
  /** The Authorization headers, in the order of the requests. */
  authorizations: (string | undefined)[]
}

interface GitServerOptions {
  /** `user:password`. Without it, everyone may read and write. */
  account?: string
  /** Runs at each request that has the account, before git answers it. */
  onRequest?: () => void
  /** Answers every request with a redirect to this address. */
  redirectTo?: string
  /** Never answers. */
  isSilent?: boolean
}

/** Serves one bare repository over http, as forges do. */
export async function serveRepository(repository: string, options: GitServerOptions = {}): Promise<GitServer> {
  const authorizations: GitServer['authorizations'] = []
  const expected =
    options.account === undefined ? undefined : `Basic ${Buffer.from(options.account).toString('base64')}`
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    authorizations.push(authorization)
    if (options.redirectTo !== undefined)
      return response
        .writeHead(301, { location: `${options.redirectTo}${request.url?.slice(`/${basename(repository)}`.length)}` })
        .end()
    if (expected !== undefined && authorization !== expected)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    options.onRequest?.()
    if (!options.isSilent) answer(repository, request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(repository)}`, authorizations }
}

/** Runs git's own CGI program. */
function answer(repository: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      ...{ PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_HTTP_EXPORT_ALL: '1' },
      ...{ GIT_PROJECT_ROOT: dirname(repository), PATH_INFO: pathname, QUERY_STRING: searchParams.toString() },
      ...{ REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers['content-type'] ?? '' },
      ...{
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      ...{ REMOTE_USER: 'someone', REMOTE_ADDR: '127.0.0.1' },
    },
  })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  const pieces: Buffer[] = []
  child.stdout.on('data', piece => pieces.push(piece))
  child.on('close', () => {
    const output = Buffer.concat(pieces)
    const end = output.indexOf('\r\n\r\n')
    const headers = output
      .toString('latin1', 0, end)
      .split('\r\n')
      .map(line => line.split(': ') as [string, string])
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200'
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
    )
    response.end(output.subarray(end + 4))
  })
}
