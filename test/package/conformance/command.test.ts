import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { runCommand } from '../../../spec/package/conformance/command.ts'
import { document } from './conformance-document.ts'

// What the command says about servers that it cannot check, and about wrong flags.

const key = 'quire_a_secret_key'
const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** Starts a server that does this with each connection, once a request has arrived. */
async function listen(answer: (socket: Socket, first: Buffer) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', bytes => answer(socket, Buffer.from(bytes)))
  })
  server.on('close', () => undefined)
  open.push(Object.assign(server, { close: closeAll(server, sockets) }))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a server that answers every request, also further ones of a connection. */
async function listenForAll(answer: (head: string) => string): Promise<string> {
  return listen((socket, first) => {
    const reply = (bytes: Buffer | string) => void socket.write(answer(bytes.toString()))
    reply(first)
    socket.on('data', reply)
  })
}

function closeAll(server: Server, sockets: readonly Socket[]): Server['close'] {
  const close = server.close.bind(server)
  return callback => {
    for (const socket of sockets) socket.destroy()
    return close(callback)
  }
}

async function run(args: string[], env: Record<string, string> = {}) {
  const written = { out: '', error: '' }
  const code = await runCommand(document, {
    args,
    env,
    print: text => {
      written.out += text
    },
    printError: text => {
      written.error += text
    },
  })
  return { code, ...written }
}

const http = (head: string, body: string) => `HTTP/1.1 ${head}\r\nX-Request-Id: req-7\r\n\r\n${body}`
const json = 'Content-Type: application/json'

test.each<[what: string, sent: string | undefined, sentence: string | RegExp]>([
  ['hangs', undefined, 'The server did not answer within 1 seconds. Check --url.'],
  [
    'hangs in the middle of the body',
    http(`200 OK\r\n${json}\r\nContent-Length: 100`, '{'),
    'The answer did not end within 1 seconds. Check --url. Request id: req-7',
  ],
  [
    'answers HTML',
    http('200 OK\r\nContent-Type: text/html\r\nContent-Length: 9', '<!doctype'),
    'The server answered 200 with text/html and not JSON. Check --url. Request id: req-7',
  ],
  [
    'redirects',
    http('301 Moved\r\nLocation: https://api.example.com/\r\nContent-Length: 0', ''),
    'The server redirects to https://api.example.com/. Set --url to where the API itself answers. Request id: req-7',
  ],
  [
    'announces fewer bytes than it sends',
    http(`404 Not Found\r\n${json}\r\nContent-Length: 5`, '{"error":"x"}'),
    /^The answer is not valid HTTP\/1\.1 \(.+\)\. Check --url\. Request id: req-7$/,
  ],
  [
    'sends more after its last answer',
    http(`404 Not Found\r\n${json}\r\nContent-Length: 5\r\nConnection: close`, '{"error":"x"}'),
    /^The answer is not valid HTTP\/1\.1 \(.+\)\. Check --url\. Request id: req-7$/,
  ],
  [
    'refuses the key',
    http(`401 Unauthorized\r\n${json}\r\nContent-Length: 2`, '{}'),
    'The server does not accept the key (401). Check --key. Request id: req-7',
  ],
  [
    'sends half of a JSON',
    http(`404 Not Found\r\n${json}\r\nContent-Length: 9`, '{"error":'),
    'The server answered 404 with a body of 9 bytes that is not JSON. Check --url. Request id: req-7',
  ],
  ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', /^The answer is not valid HTTP\/1\.1 \(.+\)\. Check --url\.$/],
])('a server that %s gets one sentence, exit code 1', async (_, sent, sentence) => {
  const url = await listen(socket => sent !== undefined && socket.write(sent))
  const { code, out, error } = await run(['--url', url, '--key', key, '--timeout', '1'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(error.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
  expect(error).not.toContain(key)
})

test.each<[what: string, sent: string, sentence: string]>([
  ['before the answer', '', 'The server closed the connection without an answer. Check --url.'],
  [
    'in the middle of the body',
    http(`200 OK\r\n${json}\r\nContent-Length: 100`, '{"a":1}'),
    'The connection closed after 7 of the 100 bytes that Content-Length announces. Check --url. Request id: req-7',
  ],
  [
    'in the middle of a chunk',
    http(`200 OK\r\n${json}\r\nTransfer-Encoding: chunked`, '10\r\n{'),
    'The connection closed in the middle of the answer, after 1 bytes of its body. Check --url. Request id: req-7',
  ],
])('a server that closes the connection %s gets one sentence, exit code 1', async (_, sent, sentence) => {
  const url = await listen(socket => socket.end(sent))
  expect(await run(['--url', url, '--key', key])).toEqual({ code: 1, out: '', error: `${sentence}\n` })
})

test('a server that stops to answer during the run gets one sentence, exit code 1', async () => {
  let connections = 0
  const answer = http(`404 Not Found\r\n${json}\r\nContent-Length: 13\r\nConnection: close`, '{"error":"x"}')
  const url = await listen(socket => (connections++ === 0 ? socket.end(answer) : socket.destroy()))
  const sentence =
    'The server did not answer 3 requests in succession. The server closed the connection without an answer.'
  expect(await run(['--url', url, '--key', key])).toEqual({ code: 1, out: '', error: `${sentence}\n` })
})

test.each([
  ['the same 404', '404 Not Found', '404 Not Found'],
  ['a 404 to every GET, and 405 to others', '404 Not Found', '405 Method Not Allowed'],
  ['a 200', '200 OK', '200 OK'],
])('a wrong path in --url, where every answer is %s, gets one sentence at the start', async (_, get, post) => {
  const requests: string[] = []
  const url = await listenForAll(head => {
    requests.push(head)
    // As other frameworks do, the body has the path.
    const body = JSON.stringify({ message: `No route ${head.split('\r\n')[0]}` })
    return http(`${head.startsWith('GET') ? get : post}\r\n${json}\r\nContent-Length: ${body.length}`, body)
  })
  const { code, out, error } = await run(['--url', `${url}/api`, '--key', key])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(error).toBe(
    `The server answered ${get.slice(0, 3)} to every operation, also to ${url}/api/v1/static-export/jobs/kit-unknown. Set --url to where /v1 and /v2 begin. Request id: req-7\n`,
  )
  expect(requests).toHaveLength(4)
})

test('an API that knows none of the ids is checked', async () => {
  const requests: string[] = []
  const url = await listenForAll(head => {
    requests.push(head)
    return http(`${head.startsWith('GET') ? 404 : 400} No\r\n${json}\r\nContent-Length: 13`, '{"error":"x"}')
  })
  const { code } = await run(['--url', url, '--key', key, '--max-requests', '0'])
  expect(code).toBe(1)
  expect(requests.length).toBeGreaterThan(50)
})

test.each([
  [
    'https',
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    'The server does not speak TLS at this port. Write http instead of https.',
  ],
  ['http', Buffer.from([21, 3, 3, 0, 2, 2, 22]), 'The server speaks TLS at this port. Write https instead of http.'],
])('%s at a port of the other protocol gets one sentence', async (protocol, sent, sentence) => {
  const url = await listen(socket => socket.end(sent))
  expect(await run(['--url', url.replace('http', protocol), '--key', key])).toEqual({
    code: 1,
    out: '',
    error: `${sentence} Check --url.\n`,
  })
})

test('nothing listens at the address', async () => {
  expect(await run(['--url', 'http://127.0.0.1:9', '--key', key])).toEqual({
    code: 1,
    out: '',
    error: 'Nothing listens at this address. Check --url.\n',
  })
})

test.each<[args: string[], sentence: string]>([
  [[], '--url is missing. Set it, or the variable QUIRE_CONFORMANCE_URL.'],
  [['--url', 'http://127.0.0.1:9'], '--key is missing. Set it, or the variable QUIRE_CONFORMANCE_KEY.'],
  [['--url', 'x', '--key', 'k'], '--url is not an http or https URL. Example: http://127.0.0.1:8787'],
  [['--url', 'http://a:secret@h/', '--key', 'k'], '--url has a user, a password, a query or a fragment. Remove it.'],
  [
    ['--url', 'http://h', '--key', 'a secret'],
    '--key has a space or a character that is not ASCII. Copy the key again.',
  ],
  [['--url', 'http://h', '--key', 'k', '--seed', '-1'], '--seed is not a whole number from 0 to 4294967295.'],
  [
    ['--max-requests', '-1', '--url', 'http://h', '--key', 'k'],
    '--max-requests is not a whole number from 0 to 1000000.',
  ],
  [['--url', 'http://h', '--key', '-k'], '--key needs a value. Write one that begins with a dash as --key=VALUE.'],
  [['--url', 'http://h', '--key'], "Option '--key <value>' argument missing. See quire-conformance --help."],
  [['--url', 'http://h', '--key', 'k', '--report', '/tmp'], '--report: /tmp is a folder. Name a file.'],
  [['--url', 'http://h', '--key', 'k', '--report', 'no/such/'], '--report: no/such/ is a folder. Name a file.'],
  [['--url', 'http://h', '--key', 'k', '--report', ''], '--report: the value is a folder. Name a file.'],
  [['--url', 'http://h', '--key', 'k', '--timeout', '0'], '--timeout is not a whole number from 1 to 3600.'],
  [['--url', 'http://h', '--key', 'k', '--report', '/no/such/file'], '--report: the folder /no/such does not exist.'],
  [['--urll', 'x'], "Unknown option '--urll'. See quire-conformance --help."],
  [['--extensions', '--url', 'http://h', '--key', 'k'], '--extensions: the second document is missing.'],
  [['x'], "Unexpected argument 'x'. See quire-conformance --help."],
])('%j is wrong usage, exit code 2', async (args, sentence) => {
  expect(await run(args)).toEqual({ code: 2, out: '', error: `${sentence}\n` })
})

test('an unknown check is named, with those there are', async () => {
  const { code, error } = await run(['--url', 'http://h', '--key', 'k', '--exclude-checks', 'pagination,limit'])
  expect(code).toBe(2)
  expect(error).toMatch(/^--exclude-checks names limit, which is not a check\. Checks: not_a_server_error, /)
})

test('a flag can be a variable, and the flag wins', async () => {
  const env = { QUIRE_CONFORMANCE_URL: 'http://127.0.0.1:9', QUIRE_CONFORMANCE_KEY: key, QUIRE_CONFORMANCE_SEED: '' }
  expect(await run([], env)).toMatchObject({ code: 1, error: 'Nothing listens at this address. Check --url.\n' })
  expect(await run(['--url', 'ftp://h'], env)).toMatchObject({ code: 2 })
})

test('the help has examples, variables and exit codes', async () => {
  const { code, out } = await run(['--help'])
  expect(code).toBe(0)
  for (const text of ['QUIRE_CONFORMANCE_OTHER_KEY', 'Exit codes: 0', 'Examples:', 'not_a_server_error']) {
    expect(out).toContain(text)
  }
})
