import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most requests of a connection that wait for their turn. */
const maxWaiting = 16

type Exchange = [req: IncomingMessage, res: ServerResponse]

/**
 * Creates a listener that answers the requests of each connection one after the other. Node calls a listener for all requests
 * that arrive together, 2,500 in 64 KB: 20 connections with 1,000 requests each blocked all others for 5 s, and 200 that did
 * not read the answers took 3.5 GB of memory.
 *
 * A connection with more requests is closed. Clients must expect that, and repeat what was not answered (RFC 9112, 9.3.2).
 */
export function answerInTurn(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, Exchange[]>()

  function begin(socket: Socket, [req, res]: Exchange): void {
    // Between two requests of a connection, others get their turn.
    res.once('close', () => setImmediate(endTurn, socket))
    listener(req, res)
  }

  function endTurn(socket: Socket): void {
    const waiting = queues.get(socket) ?? []
    const next = socket.destroyed ? undefined : waiting.shift()
    if (next) {
      begin(socket, next)
    } else {
      queues.delete(socket)
      waiting.forEach(abandon)
    }
  }

  return (req, res) => {
    const { socket } = req
    const waiting = queues.get(socket)
    if (socket.destroyed) return abandon([req, res])
    if (!waiting) {
      queues.set(socket, [])
      begin(socket, [req, res])
    } else if (waiting.length < maxWaiting) {
      waiting.push([req, res])
    } else {
      socket.destroy()
      abandon([req, res])
    }
  }
}

/** Node never tells the listeners of a response that its connection has gone, unless it was the next one to be sent. */
function abandon([, res]: Exchange): void {
  res.emit('close')
}
