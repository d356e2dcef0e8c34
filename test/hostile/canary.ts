import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Listens for TCP and UDP on every address of this machine, and records all connections. An export must make none. */
export interface Canary {
  port: number
  /** The connections in order: the path of the request line, or else '(tcp)' or '(udp)'. */
  visits: string[]
  /** Returns the connections during the work and shortly after it. */
  visitsDuring(work: () => Promise<unknown>): Promise<string[]>
  close(): Promise<void>
}

export async function startCanary(): Promise<Canary> {
  const visits: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    const index = visits.push('(tcp)') - 1
    socket.on('error', () => {})
    socket.on('data', bytes => {
      visits[index] = /^[A-Z]+ (\S+) HTTP/.exec(bytes.toString('latin1'))?.[1] ?? visits[index] ?? ''
      socket.end(
        'HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi',
      )
    })
  })
  await new Promise<void>(resolve => server.listen(0, '::', resolve))
  const { port } = server.address() as AddressInfo
  const udp = createSocket('udp6')
  udp.on('error', () => {}).on('message', () => visits.push('(udp)'))
  await new Promise<void>(resolve => udp.bind(port, '::', resolve))
  return {
    port,
    visits,
    async visitsDuring(work) {
      const before = visits.length
      await work()
      await sleep(50)
      return visits.slice(before)
    },
    close() {
      for (const socket of sockets) socket.destroy()
      udp.close()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}
