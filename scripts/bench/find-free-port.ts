import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** Finds a port of the loopback interface that no program listens on. */
export function findFreePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.once('error', failed).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}
