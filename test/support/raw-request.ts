import { connect } from 'node:net'

export interface RawReply {
  /** 0 = the connection was closed without an answer. */
  status: number
  headers: Record<string, string>
  body: string
  /** Everything that came. */
  bytes: string
}

/**
 * Sends bytes as they are on a new connection, and returns the first answer once the server closes the connection. After
 * `patienceMs`, returns what has come until then.
 */
export function sendRaw(serverUrl: string, bytes: string, patienceMs = 3000): Promise<RawReply> {
  const { hostname, port } = new URL(serverUrl)
  return new Promise(done => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), patienceMs)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined) // a reset connection has no answer
    socket.on('close', () => {
      clearTimeout(timer)
      done(parseReply(Buffer.concat(chunks).toString()))
    })
  })
}

function parseReply(bytes: string): RawReply {
  const [head = '', ...rest] = bytes.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0),
    headers,
    body: rest.join('\r\n\r\n'),
    bytes,
  }
}
