import type { Request, Response } from 'express'
import type { AnyRoute as Route } from '../../generated/operations.ts'

interface Answer {
  status: number
  body?: unknown
}

/** Waits until the answer of an operation changes, if the request prefers that. `read` returns the answer that it has now. */
export type HoldAnswer<Caller> = <Held extends Answer>(
  route: Route,
  exchange: { req: Request; res: Response; caller: Caller },
  read: () => Held | Promise<Held>,
) => Promise<Held>

/** The status of jobs that still changes. Only the answers of these operations are held. */
const changing: Partial<Record<string, readonly string[]>> = {
  getAgentJob: ['active'],
  getStaticExportJob: ['queued', 'running'],
}

const maxWaitSeconds = 60

/**
 * Creates what holds the answer of a job for `Prefer: wait=30` (RFC 7240, 4.3) until its status changes, the time is over, the client
 * leaves, or the server stops. All requests for one job share one read in `pollMs`, so that other processes may change the job.
 *
 * @param maxHeld requests of an organization that may wait at once. Others are answered at once, without Preference-Applied.
 */
export function createHeldAnswers<Caller extends { organizationId: string }>({ maxHeld = 100, pollMs = 1000 } = {}) {
  const held = new Map<string, number>()
  const polls = new Map<string, Promise<Answer>>()

  /** Reads the answer after a pause. Joins the read of another request for the same job. */
  function poll<Held extends Answer>(job: string, read: () => Held | Promise<Held>): Promise<Held> {
    const joined = polls.get(job) ?? pause(pollMs).then(read)
    polls.set(job, joined)
    const forget = () => polls.get(job) === joined && polls.delete(job)
    joined.then(forget, forget)
    return joined as Promise<Held>
  }

  const hold: HoldAnswer<Caller> = async (route, { req, res, caller: { organizationId } }, read) => {
    const first = await read()
    const seconds = readWait(req.headers.prefer)
    const pending = changing[route.operationId]
    const places = held.get(organizationId) ?? 0
    // A server that stops has announced the end of the connection.
    const isEnding = res.closed || res.getHeader('Connection') === 'close'
    if (seconds === undefined || !pending || first.status !== 200 || isEnding || places >= maxHeld) return first
    res.set('Preference-Applied', `wait=${seconds}`)
    const status = readStatus(first)
    if (seconds === 0 || !pending.includes(status)) return first

    held.set(organizationId, places + 1)
    // The package for integrators compiles this file too, and Node 20 has no Promise.withResolvers.
    let end = () => {}
    const ended = new Promise<undefined>(done => {
      end = () => done(undefined)
    })
    const timer = setTimeout(end, seconds * 1000)
    res.once('close', end).once('stopping', end)
    try {
      let last = first
      for (;;) {
        const next = await Promise.race([ended, poll(`${organizationId} ${req.path}`, read)])
        if (next) last = next
        if (next?.status !== 200 || readStatus(next) !== status) return last
      }
    } finally {
      clearTimeout(timer)
      const left = (held.get(organizationId) as number) - 1
      if (left === 0) held.delete(organizationId)
      else held.set(organizationId, left)
    }
  }
  return hold
}

/** Reads the wait of a Prefer header in seconds. Preferences that the server does not know are ignored. */
function readWait(prefer: string | string[] | undefined): number | undefined {
  for (const preference of String(prefer ?? '').split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSeconds)
  }
  return undefined
}

function readStatus({ body }: Answer): string {
  return (body as { status: string }).status
}

function pause(ms: number): Promise<void> {
  return new Promise(done => void setTimeout(done, ms).unref())
}
