// The process of one export. It gets its task over the channel and answers there. It has no database and no keys, and its environment
// is that of `minimalEnvironment`. `run-export.ts` starts it, and kills it when it exceeds a limit.
import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { readAsset, startThread } from '../assets.ts'
import { exportSite } from '../export/export-site.ts'
import { ExportError } from '../export/model/export-error.ts'
import type { Crowd, ExportProgress, ExportReuse, ExportTask } from '../export/model/options.ts'
import { openSiteCaches } from '../store/site-cache/site-caches.ts'
import type { FromExport, SentError, ToExport, WatchSetup } from './export-messages.ts'

const beatMs = 500
/** Messages about progress in between are left out, unless the stage changes. */
const reportEveryMs = 100
/**
 * From this memory on, the heap grows by at most 30% between two collections. With 9,500 pages, half of the heap was garbage
 * without this. It takes 14% more CPU time, so small exports go without it.
 */
const muchMemoryBytes = 350 * 1024 ** 2
const slowHeapGrowth = '--heap-growing-percent=30'

const stopping = new AbortController()
let crowd: Crowd = { exports: 1, onHost: 1 }

if (!process.connected) process.exit(1)
offerToOutOfMemory()
const watch: WatchSetup = { parent: process.ppid, memoryBytes: Number(process.argv.at(-1)) }
startThread('workers/export-watch', watch)
// A service manager signals all processes of a service. The server then stops the export, which does not count as a crash.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
// The server or the command is gone, so nobody wants the export any more. While the thread of this code is busy, the other thread notices.
process.on('disconnect', () => process.exit(1))
process.on('message', (message: ToExport) => {
  if ('task' in message) void run(message.task)
  else if ('crowd' in message) crowd = message.crowd
  else stopping.abort(new ExportError(message.stop, 'aborted'))
})
let isHeapSlow = false
setInterval(() => {
  const bytes = process.memoryUsage.rss()
  if (bytes > muchMemoryBytes && !isHeapSlow) {
    isHeapSlow = true
    setFlagsFromString(slowHeapGrowth)
  }
  tell({ beat: bytes })
}, beatMs)
tell({ beat: 0 })

async function run(sent: ExportTask): Promise<void> {
  const task = { ...sent, origin: new URL(sent.origin), alsoAllowed: sent.alsoAllowed?.map(origin => new URL(origin)) }
  const reuse = task.reuse && (await openReuse(task.domain, task.reuse))
  try {
    const result = await exportSite({
      ...task,
      alsoAllowed: task.alsoAllowed ?? [],
      reuse,
      startThread,
      quireVersion: JSON.parse(readAsset('package.json')).version,
      signal: stopping.signal,
      crowd: () => crowd,
      onProgress: createReporter(),
      log: (details, message) => log('log', details, message),
    })
    await reuse?.cache.close()
    tell({ result }, () => process.exit(0))
  } catch (error) {
    await reuse?.cache.close()
    tell({ error: describe(error) }, () => process.exit(0))
  }
}

/** Opens the cache of the site; null when the cache cannot be used. The export is then slower but otherwise the same. */
async function openReuse(
  domain: string,
  { cache, ...rest }: NonNullable<ExportTask['reuse']>,
): Promise<ExportReuse | null> {
  const warn = (details: object, message: string) => log('warn', details, message)
  try {
    const opened = await openSiteCaches({ ...cache, warn }).open(domain)
    if (opened === null) warn({ domain }, 'another export uses the cache of the site; this one works without it')
    return opened && { ...rest, cache: opened }
  } catch (err) {
    warn({ err }, 'the cache of the site cannot be used; the export works without it')
    return null
  }
}

function createReporter(): (progress: ExportProgress) => void {
  let stage = ''
  let reportedAt = 0
  return progress => {
    const now = performance.now()
    if (progress.stage === stage && now - reportedAt < reportEveryMs && progress.pagesDone < progress.pagesKnown) return
    stage = progress.stage
    reportedAt = now
    tell({ progress })
  }
}

function log(level: 'log' | 'warn', details: object, message: string): void {
  const plain = Object.entries(details).map(([name, value]) => [name, value instanceof Error ? describe(value) : value])
  tell({ log: { level, details: Object.fromEntries(plain), message } })
}

/** Errors have no fields in JSON. */
function describe(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), isExportError: false }
  const { message, stack, code, cause }: NodeJS.ErrnoException = error
  return {
    message,
    isExportError: error instanceof ExportError,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(cause instanceof Error && { cause: describe(cause) }),
  }
}

function tell(message: FromExport, onSent?: () => void): void {
  process.send?.(message, undefined, undefined, onSent)
}

/** When the memory of the machine runs out, the system ends this process and its browser first, not the server. */
function offerToOutOfMemory(): void {
  try {
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // A container may forbid it.
  }
}
