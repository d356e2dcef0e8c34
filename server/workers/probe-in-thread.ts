import type { ProbeOptions, SiteProbe } from '../export/probe-site.ts'
import type { FingerprintOptions } from '../export/site-fingerprint.ts'
import { askThread } from './ask-thread.ts'

type Task = ({ kind: 'probe' } & ProbeOptions) | ({ kind: 'fingerprint' } & FingerprintOptions)
type InText<Options> = Options extends ProbeOptions ? Omit<Options, 'origin'> & { origin: string } : never

/** The data that the thread starts with. */
export type ProbeSetup = InText<Task>

const maxHeapMb = 256
/** The probe ends its requests after twice this time. What it read is then judged. */
const maxTimeouts = 3

/**
 * Probes a site in a thread. A site may answer with what takes long to read: 20 site maps of 28 KB blocked a server for 22 s. The
 * thread is ended when it takes too long or needs too much memory.
 */
export function probeInThread(options: ProbeOptions): Promise<SiteProbe> {
  return askInThread<SiteProbe>({ kind: 'probe', ...options }).catch((error: Error) => ({
    ...unanswered,
    url: options.origin.href,
    error: error.message,
  }))
}

/**
 * Reads the fingerprint of a site in a thread, see `readSiteFingerprint`.
 *
 * @param signal ends the thread. Then it cannot be known whether the site changed.
 */
export function fingerprintInThread(options: FingerprintOptions, signal: AbortSignal): Promise<string | null> {
  return askInThread<string | null>({ kind: 'fingerprint', ...options }, signal).catch(() => null)
}

function askInThread<Answer>(task: Task, signal?: AbortSignal): Promise<Answer> {
  const setup: ProbeSetup = { ...task, origin: task.origin.href }
  return askThread('workers/probe-worker', setup, { maxHeapMb, maxMs: maxTimeouts * task.timeoutMs, signal })
}

const unanswered = {
  answeredBy: null,
  status: null,
  contentType: '',
  title: null,
  generator: null,
  rendering: null,
  sitemapPages: null,
  robots: 'none',
} as const
