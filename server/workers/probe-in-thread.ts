import { startThread } from '../assets.ts'
import type { ProbeOptions, SiteProbe } from '../export/probe-site.ts'

/** The data that the thread starts with. */
export interface ProbeSetup extends Omit<ProbeOptions, 'origin'> {
  origin: string
}

const maxHeapMb = 256
/** The probe ends its requests after twice this time. What it read is then judged. */
const maxTimeouts = 3

/**
 * Probes a site in a thread. A site may answer with what takes long to read: 20 site maps of 28 KB blocked a server for 22 s. The
 * thread is ended when it takes too long or needs too much memory.
 */
export async function probeInThread({ origin, ...options }: ProbeOptions): Promise<SiteProbe> {
  const setup: ProbeSetup = { ...options, origin: origin.href }
  const thread = startThread('workers/probe-worker', setup, { maxOldGenerationSizeMb: maxHeapMb })
  const { promise: probed, resolve } = Promise.withResolvers<SiteProbe>()
  const giveUp = (error: string) => resolve({ ...unanswered, url: origin.href, error })
  const timer = setTimeout(() => giveUp('reading the answers takes too long'), maxTimeouts * options.timeoutMs)
  thread.on('message', resolve)
  thread.on('error', () => giveUp('the answers cannot be read'))
  try {
    return await probed
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
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
