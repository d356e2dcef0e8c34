import { ExportError } from '../export/model/export-error.ts'

/**
 * The first Ctrl-C stops the work and lets it clean up; the second ends the process.
 *
 * @param message what the command then prints.
 */
export function stopOnSignal(message: string) {
  const controller = new AbortController()
  const stop = () => {
    release()
    controller.abort(new ExportError(message, 'aborted'))
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const release = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  for (const signal of signals) process.once(signal, stop)
  return { signal: controller.signal, release }
}
