import { createHideKey } from '../client/hide-key.ts'
import { growWait, readRetryAfter, sleep } from '../client/retry.ts'

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
  /** Empty if the job has none: then no report is sent. */
  key: string
  project: string
  id: string
}

/** A report that did not arrive. The message is for people, and never has the key. */
export class ReportError extends Error {}

const unknownKey =
  'The key is not valid. Set QUIRE_API_KEY to one of: npx quire keys create NAME --org ORG --scopes ingest --project PROJECT'
const attemptMs = 10_000
const maxWaitMs = 16_000

/**
 * Sends a report, and again while the server cannot be reached or asks to wait. The same report twice changes nothing.
 *
 * @param forMs How long to try.
 * @returns the job as the server has it
 * @throws {ReportError} if the server refuses the report, or the time is over
 */
export async function sendReport(
  { url, key, project, id }: Receiver,
  report: Report,
  forMs: number,
): Promise<Record<string, unknown>> {
  if (key === '') throw new ReportError('QUIRE_API_KEY is empty, so nothing is reported. Jobs of forks get no secrets.')
  const hideKey = createHideKey(key)
  const address = `${url}/quire/v1/projects/${encodeURIComponent(project)}/agent-jobs/${encodeURIComponent(id)}`
  const endsAt = Date.now() + forMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await send()
    if ('job' in outcome) return outcome.job
    const waitMs = outcome.retryAfterMs ?? Math.min(growWait(attempt), maxWaitMs)
    if (outcome.isFinal || Date.now() + waitMs > endsAt) throw new ReportError(hideKey.text(outcome.problem))
    await sleep(waitMs, undefined)
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
      const body = ((await response.json().catch(() => undefined)) ?? {}) as Record<string, unknown>
      if (response.ok && typeof body.status === 'string') return { job: body }
      // A redirect and a page of a proxy have no error.
      const said = typeof body.error === 'string' ? body.error : `It is perhaps not Quire. Check --url ${url}.`
      return {
        problem: `The server answered ${response.status}: ${response.status === 401 ? unknownKey : said}`,
        isFinal: response.status !== 429 && response.status < 500,
        retryAfterMs: readRetryAfter(response.headers),
      }
    } catch (error) {
      // The cause of a host with several addresses has a code and no message.
      const { cause, message } = error as { cause?: { message?: string; code?: string }; message: string }
      return {
        problem: `${url} did not answer: ${cause?.message || cause?.code || message}. Check --url.`,
        isFinal: false,
      }
    }
  }
}
