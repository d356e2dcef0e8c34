import { connect, createServer, type Socket } from 'node:net'

/** A server that passes all bytes on to another, and shows the requests first. */
export interface Gate {
  url: string
  /** How many bytes the server behind it has answered so far. */
  answeredBytes(): number
  /** How many connections to the server behind it are open. */
  connections(): number
  /** Ends all connections, and takes others. */
  cut(): void
  close(): Promise<void>
}

export interface GateOptions {
  /** Gets the method and the path of each request before the server behind the gate does. */
  onRequest?: (line: string) => unknown
  /** Without it, a free one. */
  port?: number
}

/** Starts a gate before a server. */
export async function startGate(behind: string, { onRequest, port = 0 }: GateOptions = {}): Promise<Gate> {
  const sockets = new Set<Socket>()
  const behindSockets = new Set<Socket>()
  let answeredBytes = 0
  const server = createServer(client => {
    const { hostname, port } = new URL(behind)
    const storage = connect(Number(port), hostname)
    for (const socket of [client, storage]) {
      sockets.add(socket)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        storage.destroy()
      })
      socket.on('error', () => {})
    }
    client.on('data', bytes => {
      const line = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/.exec(bytes.toString('latin1', 0, 2048))?.[1]
      if (line !== undefined) onRequest?.(line)
      storage.write(bytes)
    })
    behindSockets.add(storage)
    storage.on('close', () => behindSockets.delete(storage))
    storage.on('data', bytes => {
      answeredBytes += bytes.length
    })
    storage.pipe(client)
  })
  await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const { port: opened } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${opened}`,
    answeredBytes: () => answeredBytes,
    connections: () => behindSockets.size,
    cut,
    async close() {
      cut()
      await new Promise(done => server.close(done))
    },
  }
}
