import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Stoppable } from '../base/background.ts'
import { actWhenLate } from '../base/timer.ts'

export interface GracefulCloseOptions {
  /** How long the server still listens, so that load balancers can notice that it is not ready. */
  drainMs: number
  /** How long requests in flight may go on after listening has ended. */
  endWithinMs?: number
  /** Answers a request that has not ended when the time is up, such as an upload that stopped. */
  answerLate(res: ServerResponse): void
}

const defaultEndWithinMs = 10_000
/** A connection without a request is closed when it has been idle for this long, or for `drainMs` if that is shorter. */
const maxIdleMs = 1000
const lookEveryMs = 50
/** Time for late answers to reach their clients. */
const answerWithinMs = 500
/** The server stops listening within this time, even if new connections wait all the time. */
const quietWithinMs = 10_000
/**
 * Maximum duration of a turn of the event loop in which a new connection is unlikely. On a busy machine, every turn may be
 * longer.
 */
const shortTurnMs = 0.2
const busyShortTurnMs = 1
const busyAfterMs = 1000

interface Connection {
  requests: number
  idleSince: number
  /** Bytes read when the last request ended. More bytes belong to a request that is still arriving. */
  bytesAtIdle: number
}

export interface GracefulClose extends Stoppable {
  /** Wraps the listener of the server, so that requests are counted while they are worked on. */
  counting(listener: RequestListener): RequestListener
}

/**
 * Prepares a server to close without resetting a connection.
 *
 * `stop` announces the end of each connection with its next response (`Connection: close`), goes on for `drainMs`, stops
 * listening, and closes the connections that stay idle. Connections that are still open `endWithinMs` later are ended by force.
 */
export function createGracefulClose(server: Server, options: GracefulCloseOptions): GracefulClose {
  const { drainMs, answerLate, endWithinMs = defaultEndWithinMs } = options
  const connections = new Map<Socket, Connection>()
  const inFlight = new Set<ServerResponse>()
  let accepted = 0
  let isStopping = false

  server.on('connection', socket => {
    accepted += 1
    connections.set(socket, { requests: 0, idleSince: performance.now(), bytesAtIdle: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  function count({ socket }: IncomingMessage, res: ServerResponse): void {
    const connection = connections.get(socket)
    if (connection) connection.requests += 1
    inFlight.add(res)
    if (isStopping) announceEnd(res)
    res.once('close', () => {
      inFlight.delete(res)
      if (!connection) return
      connection.requests -= 1
      connection.idleSince = performance.now()
      connection.bytesAtIdle = socket.bytesRead
    })
  }

  function closeIdle(): void {
    const idleBefore = performance.now() - Math.min(drainMs, maxIdleMs)
    for (const [socket, { requests, idleSince, bytesAtIdle }] of connections) {
      // `end` and not `destroy`: the system resets a connection that is destroyed with unread bytes.
      if (requests === 0 && idleSince <= idleBefore && socket.bytesRead === bytesAtIdle) socket.end()
    }
  }

  /**
   * The system resets connections that wait to be accepted when listening ends. So it ends after a turn of the event loop that
   * found no such connection and was so short that a new connection is unlikely.
   */
  async function stopListening(): Promise<void> {
    const drainedAt = performance.now()
    for (let isQuiet = false, at = drainedAt; !isQuiet && at < drainedAt + quietWithinMs; ) {
      const before = { accepted, at }
      await nextTurn()
      at = performance.now()
      const maxTurnMs = at < drainedAt + busyAfterMs ? shortTurnMs : busyShortTurnMs
      isQuiet = at - before.at < maxTurnMs && accepted === before.accepted
    }
    // The `close` of an HTTP server would also destroy the idle connections.
    NetServer.prototype.close.call(server)
  }

  async function endByForce(): Promise<void> {
    for (const res of inFlight) if (!res.headersSent) answerLate(res)
    await pause(answerWithinMs)
    server.closeAllConnections()
  }

  return {
    counting: listener => (req, res) => {
      count(req, res)
      return listener(req, res)
    },
    async stop() {
      isStopping = true
      for (const res of inFlight) announceEnd(res)
      await pause(drainMs)
      const closed = new Promise<void>(done => server.once('close', done))
      await stopListening()
      closeIdle()
      const timer = setInterval(closeIdle, lookEveryMs)
      await actWhenLate(closed, endWithinMs, () => void endByForce())
      clearInterval(timer)
      // Stops the timer of the HTTP server.
      server.close()
    },
  }
}

/** Answers that are held end with `stopping`. */
function announceEnd(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
  res.emit('stopping')
}
