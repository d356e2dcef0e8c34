// A scripted agent of the Agent Client Protocol for tests, which behaves as its first argument says. It imports no file of the project,
// because it runs confined.
import { spawn, spawnSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const [mode = 'ok', given = ''] = process.argv.slice(2)
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (fields: object) => send({ method: 'session/update', params: { sessionId: 's', update: fields } })
const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const answers = new Map<number, (message: Received) => void>()
let folder = ''
let isCancelled = false
let sessionMode = 'auto'
let requests = 100

interface Received {
  id?: number
  method?: string
  params?: { cwd?: string; modeId?: string }
  result?: { outcome?: { optionId?: string } }
  error?: { code: number }
}

function request(method: string, params: object): Promise<Received> {
  const id = ++requests
  send({ id, method, params })
  return new Promise(done => answers.set(id, done))
}

async function mayUse(kind: string, path: string, more: object = {}): Promise<boolean> {
  const toolCall = { toolCallId: 't', title: kind, kind, locations: [{ path }], ...more }
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ]
  const { result } = await request('session/request_permission', { sessionId: 's', toolCall, options })
  return result?.outcome?.optionId === 'once'
}

async function fix(file: string): Promise<void> {
  update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Edit a page', kind: 'edit', status: 'pending' })
  const isAllowed = await mayUse('edit', file)
  if (isAllowed) writeFileSync(file, readFileSync(file, 'utf8').replace('teh', 'the'))
  update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: isAllowed ? 'completed' : 'failed' })
}

/** Calls the model over the address that the agent got, and returns the status and the answer. */
async function callModel(
  path = '/chat/completions',
  init: RequestInit = { method: 'POST', body: '{}' },
): Promise<string> {
  const response = await fetch(process.env.MODEL_URL + path, {
    ...init,
    headers: { authorization: 'Bearer not-a-key', cookie: 'a=b', 'content-type': 'application/json' },
  }).catch(error => error.cause as Error)
  return response instanceof Response ? `${response.status} ${await response.text()}` : response.message
}

const attempt = (work: () => unknown) => {
  try {
    work()
    return 'done'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Tells what it can reach of the machine. */
async function lookAround(): Promise<object> {
  const processes = readdirSync('/proc').filter(name => Number(name) > 0)
  const known = processes
    .flatMap(pid => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`])
    .map(path => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return ''
      }
    })
  const tcp = new Promise<string>(done => {
    const socket = connect(Number(given), '127.0.0.1', () => done('connected'))
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? ''))
  })
  return {
    processes: processes.length,
    knowsKey: [...known, JSON.stringify(process.env)].some(text => text.includes('the-real-key')),
    tcp: await tcp,
    dns: await lookup('example.com').then(
      () => 'found',
      () => 'failed',
    ),
    write: ['/usr/x', '/etc/x', '/x', '/run/x', '/proc/sys/kernel/core_pattern', `${folder}/../x`].map(path =>
      attempt(() => closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT))),
    ),
    home: attempt(() => writeFileSync(`${process.env.HOME}/x`, 'x')),
    root: readdirSync('/').sort(),
    user: process.getuid?.(),
    changeDevice: attempt(() => chmodSync('/dev/null', 0o666)),
    model: await Promise.all([
      callModel('/models', { method: 'GET' }),
      callModel('/files', { method: 'GET' }),
      callModel('/../../admin'),
      callModel(),
    ]),
  }
}

const hold: Buffer[] = []
const turns: Record<string, () => Promise<string | undefined>> = {
  ok: async () => void (await fix(`${folder}/docs/a.md`)),
  sparse: async () => {
    await fix(`${folder}/docs/a.md`)
    truncateSync(`${folder}/docs/a.md`, 50 * 1024 ** 2)
    return undefined
  },
  fifo: async () => {
    spawnSync('mkfifo', [`${folder}/docs/pipe`])
    return undefined
  },
  nochange: async () => void say('Nothing to do.'),
  crash: async () => process.exit(3),
  killed: async () => void process.kill(process.pid, 'SIGKILL'),
  refuse: async () => 'refusal',
  tokens: async () => 'max_tokens',
  cancelled: async () => 'cancelled',
  odd: async () => 'something',
  error: async () => {
    throw new Error('scripted fault')
  },
  talk: async () => {
    for (let i = 0; i < 150; i++) {
      update({ sessionUpdate: 'tool_call', toolCallId: `t${i}`, title: `Read page ${i}` })
      update({ sessionUpdate: 'tool_call_update', toolCallId: `t${i}`, status: 'completed' })
      await pause(20)
    }
    return undefined
  },
  slow: async () => {
    say('begun')
    while (!isCancelled) await pause(20)
    return 'cancelled'
  },
  deaf: async () => {
    process.on('SIGTERM', () => {})
    say('begun')
    await new Promise(() => setInterval(() => {}, 1e6))
    return undefined
  },
  flood: async () => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(20) } } } })}\n`
    for (;;) if (!process.stdout.write(line.repeat(1000))) await new Promise(done => process.stdout.once('drain', done))
  },
  garbage: async () => {
    process.stdout.write(
      'not JSON\n{"jsonrpc":"2.0"\n[1,2]\n42\nnull\n\0\xff\n{}\n{"method":7}\n{"jsonrpc":"2.0","id":77,"result":1}\n',
    )
    process.stdout.write(
      `{"method":"session/update","params":{"update":${'['.repeat(200_000)}${']'.repeat(200_000)}}}\n`,
    )
    process.stdout.write(
      `{"method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[[1],null,{"content":7}]}}}\n`,
    )
    say(
      (await request('fs/read_text_file', { sessionId: 's', path: '/etc/passwd' })).error?.code.toString() ??
        'answered',
    )
    return undefined
  },
  long: async () => void process.stdout.write('x'.repeat(3 * 1024 ** 2)),
  unread: async () => {
    process.stdin.pause()
    for (;;) {
      for (let i = 0; i < 100; i++) send({ id: ++requests, method: `unknown/${'x'.repeat(10_000)}`, params: {} })
      await pause(10)
    }
  },
  rules: async () => {
    const [kind = '', path = '', more = '{}'] = given.split(' ')
    return void say(String(await mayUse(kind, path, JSON.parse(more))))
  },
  grandchild: async () => {
    spawn('setsid', ['sh', '-c', 'trap "" TERM; sleep 1000 & exec sleep 1000'], {
      stdio: 'ignore',
      detached: true,
    }).unref()
    await pause(300)
    return undefined
  },
  memory: async () => {
    for (;;) {
      hold.push(Buffer.alloc(20 * 1024 ** 2, 1))
      await pause(20)
    }
  },
  bomb: async () => {
    for (let i = 0; i < 300; i++) spawn('sleep', ['1000'], { stdio: 'ignore' }).on('error', () => {})
    await new Promise(() => {})
    return undefined
  },
  disk: async () => {
    for (let i = 0; ; i++) {
      writeFileSync(`${folder}/hog-${i}`, Buffer.alloc(5 * 1024 ** 2, 1))
      await pause(10)
    }
  },
  look: async () => void say(JSON.stringify(await lookAround())),
  model: async () => void say(await callModel()),
  modes: async () => void say(sessionMode),
  calls: async () => {
    for (let i = 0; i < 5; i++) await callModel()
    await pause(2000)
    return undefined
  },
}

async function receive(message: Received): Promise<void> {
  const { id, method, params } = message
  if (method === undefined) return answers.get(id ?? 0)?.(message)
  if (method === 'session/cancel') isCancelled = true
  if (method === 'initialize' && mode === 'silent') return
  if (method === 'initialize') send({ id, result: { protocolVersion: mode === 'v99' ? 99 : 1, agentCapabilities: {} } })
  else if (method === 'session/new' && mode === 'sign-in') send({ id, error: { code: -32000, message: 'Sign in' } })
  else if (method === 'session/new') {
    folder = params?.cwd ?? ''
    const availableModes = ['auto', 'ask'].map(id => ({ id, name: id }))
    const modes = mode === 'modes' && { modes: { currentModeId: 'auto', availableModes } }
    send({ id, result: { sessionId: 's', ...modes } })
  } else if (method === 'session/set_mode' && params?.modeId === 'ask') {
    sessionMode = params.modeId
    send({ id, result: {} })
  } else if (method === 'session/set_mode') send({ id, error: { code: -32602, message: 'No such mode' } })
  else if (method === 'session/prompt') {
    try {
      const stopReason = (await turns[mode]?.()) ?? 'end_turn'
      send({ id, result: { stopReason, usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 } } })
    } catch (error) {
      send({ id, error: { code: -32603, message: (error as Error).message } })
    }
  }
}

console.error('last words')
if (mode === 'crash-start') process.exit(3)
createInterface({ input: process.stdin }).on('line', line => void receive(JSON.parse(line)))
if (mode !== 'deaf') process.stdin.on('end', () => process.exit(0))
