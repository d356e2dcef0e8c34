import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { ModelEndpoint } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'

/** The address of a socket is limited to 107 bytes by the system. */
const maxSocketPath = 100
const maxRequestBytes = 32 * 1024 ** 2
/** Answers with an error are short. Some repeat the key. */
const maxErrorBytes = 64 * 1024
const sentHeaders = ['content-type', 'content-length', 'accept', 'user-agent', 'anthropic-version', 'anthropic-beta']
const answeredHeaders = ['content-type', 'content-encoding', 'retry-after', 'cache-control']

/** What agents may ask of the endpoint, and the header of the key. A call costs money and is counted. */
const routes = [
  { method: 'POST', path: /^\/(?:chat\/completions|responses)$/, keyHeader: 'authorization', isCall: true },
  { method: 'POST', path: /^\/messages$/, keyHeader: 'x-api-key', isCall: true },
  {
    method: 'POST',
    path: /^\/models\/[\w.-]+:(?:g|streamG)enerateContent$/,
    keyHeader: 'x-goog-api-key',
    isCall: true,
  },
  { method: 'GET', path: /^\/models$/, keyHeader: 'authorization', isCall: false },
] as const

export interface Gate {
  socket: string
  token: string
  /** How many calls of the model were made. */
  calls(): number
  /** Why the last call failed, as a sentence; undefined if it succeeded. */
  failure(): string | undefined
  close(): Promise<void>
}

export interface GateOptions {
  endpoint: ModelEndpoint
  /** A folder for the socket. */
  scratch: string
  maxCalls: number
  /** Called when no further call can succeed. */
  onExceeded(error: RunError): void
  /** Called when a call fails in another way than the one before: agents repeat calls for a minute without a word. */
  onProblem?(sentence: string): void
}

/** Opens the only way from the confinement to the model. The key is added here, and the agent never gets it. */
export async function openGate({ endpoint, scratch, maxCalls, onExceeded, onProblem }: GateOptions): Promise<Gate> {
  const token = randomBytes(16).toString('hex')
  const isShort = Buffer.byteLength(scratch) <= maxSocketPath - '/model.sock'.length
  const folder = isShort ? undefined : await mkdtemp(join(tmpdir(), 'quire-gate-'))
  const socket = join(folder ?? scratch, 'model.sock')
  let calls = 0
  let failure: string | undefined
  const agent = new (endpoint.url.startsWith('https:') ? https : http).Agent({ keepAlive: true })

  const server = http.createServer((request, response) => {
    const target = findTarget(request, token, endpoint)
    if (!target) return refuse(response, 404, 'This is not available to agents.')
    if (target.isCall) {
      if (calls >= maxCalls) {
        onExceeded(new RunError('resource_limit', `The agent called the model more than ${maxCalls} times.`))
        return refuse(response, 403, 'The job has no model calls left.')
      }
      calls++
    }
    const onEnd = (problem: string | undefined, status?: number) => {
      if (target.isCall && problem !== undefined && problem !== failure) onProblem?.(problem)
      if (target.isCall) failure = problem
      // Some agents repeat such calls for minutes. A wrong key stays wrong.
      if (target.isCall && problem !== undefined && status === 401) onExceeded(new RunError('model_refused', problem))
    }
    forward({ request, response, target, key: endpoint.key, agent, onEnd })
  })
  // A model may think for long. Only the time of the job limits a call.
  server.timeout = 0
  server.requestTimeout = 0
  await new Promise<void>((done, failed) => server.once('error', failed).listen(socket, done))
  return {
    socket,
    token,
    calls: () => calls,
    failure: () => failure,
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
      agent.destroy()
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Target {
  url: URL
  keyHeader: string
  isCall: boolean
}

function findTarget(
  { method, url = '' }: http.IncomingMessage,
  token: string,
  endpoint: ModelEndpoint,
): Target | undefined {
  const [path = '', query] = url.split('?', 2)
  if (!path.startsWith(`/${token}/`)) return undefined
  // Some programs add the version themselves.
  const [, version = '', rest = ''] = /^(\/v1(?:beta)?)?(\/.*)$/.exec(path.slice(token.length + 1)) ?? []
  const route = routes.find(route => route.method === method && route.path.test(rest))
  if (!route) return undefined
  const base = endpoint.url.endsWith(version) ? endpoint.url : endpoint.url + version
  const target = new URL(base + rest)
  if (query !== undefined && query.length < 200) target.search = query
  return { url: target, keyHeader: route.keyHeader, isCall: route.isCall }
}

interface Forwarding {
  request: http.IncomingMessage
  response: http.ServerResponse
  target: Target
  key: string | undefined
  agent: http.Agent
  onEnd(problem: string | undefined, status?: number): void
}

function forward({ request, response, target, key, agent, onEnd }: Forwarding): void {
  const headers = pickHeaders(request.headers, sentHeaders)
  if (key !== undefined) headers[target.keyHeader] = target.keyHeader === 'authorization' ? `Bearer ${key}` : key
  const { request: send } = target.url.protocol === 'https:' ? https : http
  const upstream = send(target.url, { method: request.method, headers, agent })
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxRequestBytes) return
    upstream.destroy()
    refuse(response, 413, 'The request is larger than 32 MB.')
  })
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent || response.destroyed) return response.destroy()
    onEnd(`The endpoint of the model cannot be reached (${error.code ?? 'connection lost'}).`)
    refuse(response, 502, 'The endpoint of the model cannot be reached.')
  })
  upstream.on('response', answer => {
    const status = answer.statusCode ?? 502
    const isSuccess = status >= 200 && status < 300
    onEnd(isSuccess ? undefined : describeStatus(status), status)
    const answered = pickHeaders(answer.headers, answeredHeaders)
    if (!isSuccess) return void answerError({ status, headers: answered, answer, key, response })
    response.writeHead(status, answered)
    pipeline(answer, response, () => {})
  })
  // The agent stops waiting, such as when it is cancelled.
  response.on('close', () => upstream.destroy())
  pipeline(request, upstream, () => {})
}

async function answerError({ status, headers, answer, key, response }: ErrorAnswer): Promise<void> {
  let body = ''
  try {
    for await (const chunk of answer) {
      body += chunk
      if (body.length > maxErrorBytes) break
    }
  } catch {
    // The part that came is enough.
  }
  const { 'content-encoding': _, ...rest } = headers
  response.writeHead(status, rest)
  response.end(key === undefined || key === '' ? body : body.replaceAll(key, '[key]'))
}

interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  answer: http.IncomingMessage
  key: string | undefined
  response: http.ServerResponse
}

function describeStatus(status: number): string {
  const reason =
    status === 401 || status === 403
      ? 'the key is wrong or has no permission'
      : status === 404
        ? 'it does not know the model, or its address is wrong'
        : status === 429
          ? 'too many requests'
          : status >= 500
            ? 'it has a fault'
            : 'it does not accept the request'
  return `The endpoint of the model answered ${status}: ${reason}.`
}

function pickHeaders(headers: http.IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: { message, type: 'refused' } }))
}
