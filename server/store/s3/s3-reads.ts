import type { OnReadOpts, Socket } from 'node:net'

/**
 * Returns the setting of an agent with which all its sockets read into one buffer. A socket reads into a new buffer each time otherwise,
 * and V8 collects them late: up to 50 MB of them are garbage during a download.
 *
 * The HTTP parser of Node copies a body out of what it is given, so the buffer is free as soon as the listeners return.
 */
export function readIntoOneBuffer(): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(64 * 1024),
    callback(this: Socket, bytes: number, buffer: Uint8Array) {
      this.emit('data', buffer.subarray(0, bytes))
      return true
    },
  }
}
