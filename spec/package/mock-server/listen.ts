import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts listening. Returns the URL.
 *
 * @param example a command line with another port
 * @throws {Error} with the remedy
 */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  example: string,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(explain(error, { host, port, example })))
    server.listen(port, host, resolve)
  })
  const { family, address, port: actual } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}

function explain(
  { code, message }: NodeJS.ErrnoException,
  { host, port, example }: { host: string; port: number; example: string },
): Error {
  if (code === 'EADDRINUSE') return new Error(`Port ${port} is in use. Choose another: ${example}`)
  if (code === 'EACCES') return new Error(`This user may not listen on port ${port}. Choose one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`${host} is not an address of this machine.`)
  return new Error(message)
}
