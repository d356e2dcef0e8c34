import { rename, rm } from 'node:fs/promises'
import { digestJson } from '../../base/digest.ts'
import { createQueue } from '../../base/queue.ts'
import { describeBrowser } from '../../web/browser/find-browser.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import type { Pace } from '../../web/fetch/host-turns.ts'
import type { ExportOptions, ExportReuse, FinishedResult } from '../model/options.ts'
import type { AskedAnswer, FinishedExport } from '../model/site-cache.ts'
import { type CachingFetcher, createCachingFetcher } from './caching-fetcher.ts'

/**
 * Reuses the archive of an earlier export if the site still gives the same answer to every request of that export. The same
 * answers and options give the same bytes. Returns null at the first difference.
 *
 * @param createFetcher creates a separate fetcher, because compared bytes do not count as fetched.
 */
export async function repeatExport(
  options: ExportOptions,
  createFetcher: () => Fetcher,
  pace: Pick<Pace, 'slowDown'>,
  signal: AbortSignal,
): Promise<FinishedResult | null> {
  const { limits, onProgress, outFile, reuse } = options
  const key = reuse ? digestOptions(options, reuse) : ''
  const finished = await reuse?.cache.findFinished(key)
  if (!reuse || !finished) return null
  const { asked, delays, pageCount, sizeBytes, sha256, report } = finished
  // Check robots.txt first, because it may now forbid the other requests.
  const rules = asked.filter(({ asked }) => new URL(asked).pathname === '/robots.txt')
  for (const [host, delayMs] of delays) pace.slowDown(host, delayMs)
  const onCompared = (done: number) =>
    onProgress({
      stage: 'compare',
      pagesDone: Math.floor((pageCount * done) / asked.length),
      pagesKnown: pageCount,
      pageCount: 0,
    })
  const fetcher = createCachingFetcher({ ...reuse, fetcher: createFetcher(), limits })
  try {
    if (!(await isUnchanged(rules, fetcher, 1, () => {}))) return null
    if (!(await isUnchanged(asked, fetcher, limits.connections, onCompared))) return null
  } finally {
    await fetcher.close()
  }
  signal.throwIfAborted()
  const partFile = `${outFile}.part`
  try {
    // Never write into an existing file.
    await rm(partFile, { force: true })
    if (!(await reuse.cache.copyArchive(finished, partFile))) return null
    await rename(partFile, outFile)
  } finally {
    await rm(partFile, { force: true })
  }
  reuse.cache.renew(key, reuse.run)
  return { pageCount, sizeBytes, sha256, report }
}

/** Stores a finished export for reuse by the next export with the same options. */
export async function keepExport(
  options: ExportOptions,
  finished: FinishedResult & Pick<FinishedExport, 'asked' | 'delays'>,
): Promise<void> {
  const { outFile, reuse } = options
  if (reuse) await reuse.cache.finish({ key: digestOptions(options, reuse), run: reuse.run, ...finished }, outFile)
}

/**
 * Whether an option changes the archive of an export. The compiler requires an entry for each option. The headers
 * and the login for the site change only the site's answers. Those are compared, and the headers and the login are not stored.
 */
const decides: Readonly<Record<keyof ExportOptions, boolean>> = {
  domain: true,
  origin: true,
  originAllowed: true,
  alsoAllowed: true,
  paths: true,
  deployment: true,
  features: true,
  removal: true,
  version: true,
  stamp: true,
  format: true,
  limits: true,
  obeyRobots: true,
  verify: true,
  allowLoss: true,
  allowNoSandbox: false,
  offlineSearch: true,
  markdown: true,
  siteHeaders: false,
  login: false,
  outFile: false,
  workFolder: false,
  onProgress: false,
  signal: false,
  startThread: false,
  // The engine has it.
  quireVersion: false,
  log: false,
  warn: false,
  reuse: false,
  crowd: false,
}

/** Returns a digest of everything that decides the archive of an export, except the answers of the site. */
function digestOptions(options: ExportOptions, { engine }: ExportReuse): string {
  const deciding = Object.entries(options).filter(([name]) => decides[name as keyof ExportOptions])
  return digestJson({ ...Object.fromEntries(deciding), engine, browser: describeBrowser() })
}

/** Repeats the requests, `connections` at a time, and stops at the first difference. */
async function isUnchanged(
  all: readonly AskedAnswer[],
  fetcher: CachingFetcher,
  connections: number,
  onCompared: (done: number) => void,
): Promise<boolean> {
  const queue = createQueue(connections)
  let done = 0
  let isSame = true
  await Promise.all(
    all.map(asked =>
      queue.add(async () => {
        if (!isSame) return
        isSame = (await fetcher.isUnchanged(asked)) && isSame
        done += 1
        onCompared(done)
      }),
    ),
  )
  return isSame
}
