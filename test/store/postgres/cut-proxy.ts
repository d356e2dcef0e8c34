import { createServer, type Server, type Socket, connect as tcpConnect } from 'node:net'

/** A network between a store and its database that can fail. */
export interface CutProxy {
  /** The address of the database through the proxy. */
  url: string
  /** Ends all connections and refuses new ones until `restore`. */
  cut(): Promise<void>
  restore(): Promise<void>
  /**
   * Keeps all connections and accepts new ones, but delivers nothing in either direction.
   *
   * @returns ends the silence; what was sent meanwhile is lost with its connections.
   */
  silence(): () => void
  /**
   * Loses the answer to the next message that has the text, and ends that connection: the database has executed the message, and nobody
   * knows.
   */
  loseAnswerTo(text: string): void
  close(): Promise<void>
}

export async function openCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let lostText: string | undefined
  let isSilent = false
  let server: Server
  let port = 0

  const handle = (client: Socket) => {
    const database = tcpConnect(Number(target.port), target.hostname)
    let isLost = false
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        database.destroy()
      })
    }
    client.on('data', data => {
      if (isSilent) return
      if (lostText !== undefined && data.includes(lostText)) {
        isLost = true
        lostText = undefined
      }
      database.write(data)
    })
    database.on('data', data => {
      if (isSilent) return
      if (isLost) client.resetAndDestroy()
      else client.write(data)
    })
  }
  const listen = async () => {
    server = createServer(handle)
    await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
    port = (server.address() as { port: number }).port
  }
  const cut = async () => {
    const closed = new Promise(done => server.close(done))
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }

  await listen()
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    cut,
    restore: listen,
    silence() {
      isSilent = true
      const silenced = [...sockets]
      return () => {
        isSilent = false
        for (const socket of [...silenced, ...sockets]) socket.destroy()
      }
    },
    loseAnswerTo(text) {
      lostText = text
    },
    close: cut,
  }
}
