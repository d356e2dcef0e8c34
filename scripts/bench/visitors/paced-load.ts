import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../http/load.ts'
import { type Percentiles, toPercentiles } from './percentiles.ts'

export interface PacedOptions {
  /** Address of the server, without a path. */
  url: string
  headers: Record<string, string>
  exchanges: readonly Exchange[]
  everyMs: number
  /** Requests are sent until this promise settles. */
  until: Promise<unknown>
}

/**
 * Sends a request every `everyMs` until `until` settles, without waiting for earlier answers. Measures times from the instant
 * a request was due, so a pause of the server for a second counts for all requests of that second.
 *
 * @throws {Error} on the first answer that is not a 200 with the expected body.
 */
export async function runPaced({ url, headers, exchanges, everyMs, until }: PacedOptions): Promise<Percentiles> {
  const agent = new Agent({ keepAlive: true })
  const timesMs: number[] = []
  const open = new Set<Promise<void>>()
  let isOver = false
  let failure: unknown
  const stop = () => {
    isOver = true
  }
  void until.then(stop, stop)
  const startedAt = performance.now()
  try {
    for (let sent = 0; !isOver && failure === undefined; sent++) {
      const dueAt = startedAt + sent * everyMs
      await sleep(Math.max(0, dueAt - performance.now()))
      const { path, body } = exchanges[sent % exchanges.length] as Exchange
      const asked = request(url + path, headers, agent)
        .then(answer => {
          if (answer !== body) throw new Error(`GET ${path}: unexpected answer: ${answer}`)
          timesMs.push(performance.now() - dueAt)
        })
        .catch(error => {
          failure = error
        })
        .finally(() => open.delete(asked))
      open.add(asked)
    }
    await Promise.all(open)
    if (failure !== undefined) throw failure
    return toPercentiles(timesMs)
  } finally {
    agent.destroy()
  }
}

/** Returns the body of a 200 answer. */
export function request(url: string, headers: Record<string, string>, agent: Agent): Promise<string> {
  return new Promise((done, failed) => {
    get(url, { headers, agent, timeout: 30_000 }, res => {
      const parts: Buffer[] = []
      res.on('data', part => parts.push(part)).on('error', failed)
      res.on('end', () => {
        const body = Buffer.concat(parts).toString()
        if (res.statusCode === 200) done(body)
        else failed(new Error(`GET ${url}: ${res.statusCode} ${body}`))
      })
    })
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error(`GET ${url}: no answer within 30 s`))
      })
      .on('error', failed)
  })
}
