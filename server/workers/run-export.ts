import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { startProcess } from '../assets.ts'
import { minimalEnvironment } from '../base/minimal-environment.ts'
import { ExportError, stopped } from '../export/model/export-error.ts'
import { type ProcessLimits, timeExceeded } from '../export/model/limits.ts'
import type { ExportCalls, ExportResult, ExportTask, RunExport } from '../export/model/options.ts'
import { type FromExport, overMemory, type SentError, type ToExport } from './export-messages.ts'
import { killGroup } from './process-group.ts'

/**
 * glibc otherwise keeps a heap for each thread, and freed memory stays in it: a burst of large files at the start of an export took
 * 150 MB until its end. Larger buffers than this get memory that the system takes back.
 */
const glibcSettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) }
const watchEveryMs = 500
/** An export that exceeds its time limit, or is stopped, has this time to end by itself. */
const graceMs = 2000
const maxErrorText = 4000
/** Tell each running export how many there are, if that has changed. */
const tellCrowds = new Set<() => void>()

/**
 * Creates the function that runs each export in a process of its own, so that a hostile site costs no more than its export. The
 * process is `export-process.ts`.
 *
 * @param niceness 0 = the priority of this process, 19 = the lowest
 */
export function createRunExport(limits: ProcessLimits, niceness: number): RunExport {
  return async (task, calls) => {
    calls.signal.throwIfAborted()
    try {
      return await runProcess(task, calls, limits, niceness)
    } catch (error) {
      // A process that was killed leaves its files.
      for (const path of [task.workFolder, `${task.outFile}.part`]) {
        await rm(path, { recursive: true, force: true, maxRetries: 3 })
      }
      throw error
    }
  }
}

async function runProcess(
  task: ExportTask,
  calls: ExportCalls,
  { memoryBytes, stallMs }: ProcessLimits,
  niceness: number,
): Promise<ExportResult> {
  const { onProgress, signal, crowd = () => ({ exports: 1, onHost: 1 }) } = calls
  const child = startProcess('workers/export-process', [String(memoryBytes)], {
    ...glibcSettings,
    ...minimalEnvironment(),
  })
  const { pid } = child
  // It cannot be started: the error is that of the system, such as EAGAIN.
  if (pid === undefined) throw (await once(child, 'error'))[0]
  child.on('error', () => {})
  // Its browser, if it left one.
  child.on('exit', () => killGroup(pid))
  if (niceness > 0) lowerPriority(pid, niceness)
  const lastWords = readErrors(child)
  const tell = (message: ToExport) => void (child.connected && child.send(message, () => {}))
  let outcome: { result: ExportResult } | { error: unknown } | undefined
  let silentMs = 0

  const kill = (error: unknown) => {
    outcome ??= { error }
    killGroup(pid)
  }
  child.on('message', (message: FromExport) => {
    silentMs = 0
    if ('progress' in message) onProgress(message.progress)
    else if ('log' in message) calls[message.log.level]?.(message.log.details, message.log.message)
    else if ('result' in message) outcome ??= message
    else if ('error' in message) outcome ??= { error: toError(message.error) }
  })
  let told = crowd()
  const tellCrowd = () => {
    const now = crowd()
    if (now.exports !== told.exports || now.onHost !== told.onHost) tell({ crowd: now })
    told = now
  }
  // The others leave it its share before it sends its first request.
  for (const tellOther of tellCrowds) tellOther()
  tellCrowds.add(tellCrowd)
  const watch = setInterval(() => {
    // Time in which this process was stopped too, such as that of a machine that slept, does not count.
    silentMs += watchEveryMs
    if (silentMs >= stallMs) return kill(stalled(stallMs))
    tellCrowd()
  }, watchEveryMs)
  const timeLimit = setTimeout(() => kill(timeExceeded(task.limits)), task.limits.jobTimeoutMs + graceMs)
  let grace: NodeJS.Timeout | undefined
  const stop = () => {
    const error = signal.reason instanceof ExportError ? signal.reason : new ExportError(stopped, 'aborted')
    tell({ stop: error.message })
    grace = setTimeout(() => kill(error), graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    tell({ task })
    tell({ crowd: told })
    if (signal.aborted) stop()
    // The answer and the last words may arrive after the end of the process.
    const [[code, by]] = await Promise.all([once(child, 'close'), once(child, 'disconnect')])
    const words = lastWords()
    outcome ??= { error: words.includes(overMemory) ? memoryExceeded(memoryBytes) : crashed(code, by, words) }
  } finally {
    tellCrowds.delete(tellCrowd)
    for (const timer of [watch, timeLimit, grace]) clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended.
  }
}

/** Returns a function with the end of what the process wrote to its standard error, such as a message of V8. */
function readErrors({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.on('data', (bytes: Buffer) => {
    text = (text + bytes.toString('latin1')).slice(-maxErrorText)
  })
  stderr?.on('error', () => {})
  return () => text.trim()
}

function toError({ message, isExportError, stack, code, cause }: SentError): Error {
  const options = cause && { cause: toError(cause) }
  const error = isExportError
    ? new ExportError(message, code as ExportError['code'], options)
    : new Error(message, options)
  if (stack !== undefined) error.stack = stack
  return isExportError ? error : Object.assign(error, code !== undefined && { code })
}

function memoryExceeded(memoryBytes: number): ExportError {
  const limitMb = Math.round(memoryBytes / 1024 ** 2)
  return new ExportError(
    `The export needed more memory than its limit of ${limitMb} MB; raise --export-memory-mb or export fewer paths.`,
    'memory',
  )
}

function stalled(stallMs: number): ExportError {
  const seconds = Math.round(stallMs / 1000)
  return new ExportError(
    `The export did not respond for ${seconds} seconds, so it was ended; a file of the site is the likely cause. Exclude pages to find it.`,
    'stalled',
  )
}

function crashed(code: number | null, signal: string | null, lastWords: string): ExportError {
  const how = signal === null ? `exit code ${code}` : signal
  return new ExportError(
    `The process of the export ended unexpectedly (${how}). The machine may have too little memory; otherwise, look into the log.`,
    'crashed',
    { cause: new Error(lastWords || 'it wrote nothing') },
  )
}
