import { readRetryAfter } from '../client/retry.ts'

/** A report of a job; see the schema ReportAgentJob of the extensions. */
export interface Report {
  status: 'active' | 'completed' | 'failed'
  source?: { repository: string; ref?: string }
  model?: string
  prLink?: string
  occurredAt: string
}

export interface Receiver {
  /** Without a slash at its end. */
  url: string
  key: string
  project: string
  id: string
}

/** A report that did not arrive. The message is for people, and never has the key. */
export class ReportError extends Error {}

export interface SendOptions {
  /** How long to try. */
  forMs: number
  fetch?: typeof globalThis.fetch
  /** Waits between two attempts. */
  wait?: (ms: number) => Promise<void>
}

const attemptMs = 10_000

/**
 * Sends a report, and again while the server cannot be reached or asks to wait. The same report twice changes nothing.
 *
 * @returns the job as the server has it
 * @throws {ReportError} if the server refuses the report, or the time is over
 */
export async function sendReport(
  { url, key, project, id }: Receiver,
  report: Report,
  { forMs, fetch = globalThis.fetch, wait = pause }: SendOptions,
): Promise<Record<string, unknown>> {
  const address = `${url}/quire/v1/projects/${encodeURIComponent(project)}/agent-jobs/${encodeURIComponent(id)}`
  const endsAt = Date.now() + forMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await send()
    if ('job' in outcome) return outcome.job
    const waitMs = outcome.retryAfterMs ?? 500 * 2 ** Math.min(attempt - 1, 5)
    if (outcome.isFinal || Date.now() + waitMs > endsAt) throw new ReportError(outcome.problem)
    await wait(waitMs)
  }

  async function send(): Promise<
    { job: Record<string, unknown> } | { problem: string; isFinal: boolean; retryAfterMs?: number | undefined }
  > {
    try {
      const response = await fetch(address, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(report),
        // A redirect would get the key.
        redirect: 'manual',
        signal: AbortSignal.timeout(attemptMs),
      })
      const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
      if (response.ok) return { job: body }
      const said = typeof body.error === 'string' ? body.error.replaceAll(key, '...') : 'It gave no reason.'
      const isFinal = response.status !== 429 && response.status < 500
      return {
        problem: `The server answered ${response.status}: ${said}`,
        isFinal,
        retryAfterMs: readRetryAfter(response.headers),
      }
    } catch (error) {
      const cause = (error as { cause?: { message?: string } }).cause?.message ?? (error as Error).message
      return { problem: `${url} did not answer: ${cause}. Check --url.`, isFinal: false }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms))
}
