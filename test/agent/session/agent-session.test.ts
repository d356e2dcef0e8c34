import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RunError } from '../../../server/agent/run-end.ts'
import { openSession } from '../../../server/agent/session/agent-session.ts'
import { bubblewrap, confinements, prepareSession, runSession } from '../../support/agent-session.ts'
import { fakeAgent } from '../../support/fake-agents.ts'

// Most ends are the same in each confinement. They are tested in the usual one, as far as this machine has it.
const usual = bubblewrap ?? { kind: 'none' }
/** A command that only starts the program. */
const command = { kind: 'command' as const, command: ['env', 'JOB={work}'] }

test.for([...confinements, command])('an agent edits a page and its events come in order: %o', async confinement => {
  const options = prepareSession(fakeAgent('ok'), confinement)
  const session = await openSession(options)
  await session.prompt('Fix the typo.')
  expect(session.usage()).toEqual({ modelCalls: 0, inputTokens: 100, outputTokens: 10, cost: null })
  await session.close()
  expect(options.events).toEqual([
    { kind: 'tool', text: 'Edit a page', outcome: 'started' },
    { kind: 'permission', text: 'edit /project/docs/a.md', outcome: 'allowed' },
    { kind: 'tool', text: 'Edit a page', outcome: 'completed' },
  ])
  expect(readFileSync(join(options.work, 'docs/a.md'), 'utf8')).toBe('# A\n\nThis is the page.\n')
})

test.for([
  ['nochange', undefined, ''],
  ['crash-start', 'agent_crashed', 'exit code 3'],
  ['crash', 'agent_crashed', 'exit code 3'],
  ['killed', 'agent_crashed', 'SIGKILL'],
  ['refuse', 'agent_refused', 'refused'],
  ['tokens', 'resource_limit', 'tokens'],
  ['cancelled', 'agent_crashed', 'nobody cancelled'],
  ['odd', 'agent_crashed', 'does not have'],
  ['error', 'agent_crashed', 'scripted fault'],
  ['v99', 'agent_unusable', 'version 99'],
  ['sign-in', 'agent_unusable', 'Sign in'],
  ['long', 'resource_limit', 'more than 1 MB'],
] as const)('the end of an agent: %s', async ([mode, code, sentence]) => {
  const error = await runSession(prepareSession(fakeAgent(mode), usual))
  expect([error?.code, error?.message ?? '']).toEqual([code, expect.stringContaining(sentence)])
  if (mode.startsWith('crash')) expect(error?.cause).toEqual(new Error('last words'))
})

test.for([...confinements, command])(
  'a process that leaves the session of the agent ends with it: %o',
  async confinement => {
    expect(await runSession(prepareSession(fakeAgent('grandchild'), confinement))).toBeUndefined()
  },
)

test.for([
  [undefined, 'auto'],
  ['auto', 'auto'],
  ['ask', 'ask'],
  ['other', undefined],
] as const)('an agent that is given the mode %s works in %s', async ([mode, seen]) => {
  const options = prepareSession({ ...fakeAgent('modes'), ...(mode && { mode }) }, usual)
  const error = await runSession(options)
  expect([error?.code, options.events.at(-1)?.text]).toEqual([seen ? undefined : 'agent_unusable', seen])
})

test('garbage between the messages is left out, and requests that are not offered are refused', async () => {
  const options = prepareSession(fakeAgent('garbage'), usual)
  expect(await runSession(options)).toBeUndefined()
  expect(options.events.at(-1)).toEqual({ kind: 'message', text: '-32601' })
})

test('an agent that is cancelled ends with the reason of the signal', async () => {
  const stopping = new AbortController()
  const options = prepareSession(fakeAgent('slow'), usual, { signal: stopping.signal })
  const onEvent = () => stopping.abort(new RunError('cancelled', 'Stopped.'))
  expect((await runSession({ ...options, onEvent }))?.code).toBe('cancelled')
})

test('a session is not opened after the signal', async () => {
  const signal = AbortSignal.abort(new RunError('cancelled', 'Stopped.'))
  expect((await runSession(prepareSession(fakeAgent('ok'), usual, { signal })))?.code).toBe('cancelled')
})

test('an instruction with the separators of lines of Unicode reaches an agent that reads lines with Node', async () => {
  expect(await runSession(prepareSession(fakeAgent('ok'), usual), 'Fix\u2028the\u2029typo.')).toBeUndefined()
})

test('a program that does not exist makes the agent unusable', async () => {
  const error = await runSession(prepareSession({ ...fakeAgent('ok'), command: ['/usr/bin/no-such-agent'] }, usual))
  expect([error?.code, error?.message]).toEqual(['agent_unusable', expect.stringContaining('no-such-agent')])
})

test.runIf(bubblewrap)('a file that does not exist makes the agent unusable', async () => {
  const agent = { ...fakeAgent('ok'), files: ['/no-such-file'] }
  const error = await runSession(prepareSession(agent, usual))
  expect([error?.code, error?.message]).toEqual(['agent_unusable', expect.stringContaining('does not exist')])
})

async function startModel(status = 200) {
  const seen: { url: string | undefined; headers: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers })
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'a=b' })
    response.end(`{"said": "Incorrect key ${request.headers.authorization}"}`)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { seen, port, endpoint: { url: `http://127.0.0.1:${port}/v1`, key: 'the-real-key' } }
}

test.runIf(bubblewrap)('a confined agent reaches its folders and the gate, and nothing else', async () => {
  const { seen, port, endpoint } = await startModel()
  const options = prepareSession(fakeAgent('look', String(port)), usual, { endpoint })
  expect(await runSession(options)).toBeUndefined()
  const found = JSON.parse(options.events[0]?.text ?? '')
  expect(found).toMatchObject({
    knowsKey: false,
    tcp: 'ECONNREFUSED',
    dns: 'failed',
    home: 'done',
    changeDevice: 'EPERM',
  })
  expect(found.user).toBeGreaterThan(0)
  expect(found.write).toEqual(found.write.map(() => expect.stringMatching(/^(EROFS|EACCES)$/)))
  expect(found.processes).toBeLessThan(6)
  expect(found.root.filter((name: string) => ['root', 'var', 'opt', 'sys', 'srv'].includes(name))).toEqual([])
  expect(found.model.map((answer: string) => answer.slice(0, 3))).toEqual(['200', '404', '404', '200'])
  expect(seen.map(({ url, headers }) => [url, headers.authorization, headers.cookie]).sort()).toEqual([
    ['/v1/chat/completions', 'Bearer the-real-key', undefined],
    ['/v1/models', 'Bearer the-real-key', undefined],
  ])
  expect(existsSync(join(options.work, '../x'))).toBe(false)
})

test.for([
  [401, 'model_refused', 'answered 401: the key is wrong'],
  [404, 'model_refused', 'answered 404'],
  [200, undefined, ''],
] as const)('a turn after an answer %i of the model', async ([status, code, sentence]) => {
  const { endpoint } = await startModel(status)
  const options = prepareSession(fakeAgent('model'), usual, { endpoint })
  const error = await runSession(options)
  expect([error?.code, error?.message ?? '']).toEqual([code, expect.stringContaining(sentence)])
  if (status !== 200)
    expect(options.events.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      expect.stringMatching(`^state .*${sentence}`),
      `message ${status} {"said": "Incorrect key Bearer [key]"}`,
    ])
})

test.for([...confinements, command])(
  'an endpoint that cannot be reached is named as the reason: %o',
  async confinement => {
    const endpoint = { url: 'http://127.0.0.1:1/v1', key: undefined }
    const options = prepareSession(fakeAgent('model'), confinement, { endpoint })
    const error = await runSession(options)
    expect([error?.code, error?.message]).toEqual(['model_refused', expect.stringContaining('ECONNREFUSED')])
    expect(options.events[0]).toEqual({ kind: 'state', text: error?.message })
  },
)

test('too many calls of the model end the agent', async () => {
  const { endpoint, seen } = await startModel()
  const error = await runSession(prepareSession(fakeAgent('calls'), usual, { endpoint, limits: { modelCalls: 3 } }))
  expect([error?.code, seen.length]).toEqual(['resource_limit', 3])
})
