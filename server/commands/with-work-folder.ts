import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { ExportError } from '../export/model/export-error.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'
import { explainFolder } from './output-file.ts'

/**
 * Works with a scratch folder in the folder of `--work-folder`, or in the temporary folder. The first Ctrl-C stops the work and lets it
 * clean up; the second ends the process.
 *
 * @param stopped what the command prints when it was stopped.
 * @param work gets a folder that does not exist yet.
 * @throws {OperatorError} wrong usage, when the folder cannot be written.
 */
export async function withWorkFolder<T>(
  folder: string | undefined,
  stopped: string,
  work: (folder: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const parent = folder ? resolve(folder) : tmpdir()
  const scratch = await openScratchFolder(parent).catch(error => {
    const why = explainFolder((error as NodeJS.ErrnoException).code, parent)
    throw new OperatorError(`--work-folder ${parent} cannot be written to (${why}).`, 2)
  })
  const { signal, release } = stopOnSignal(stopped)
  try {
    return await work(scratch.path, signal)
  } finally {
    release()
    await scratch.close()
  }
}

function stopOnSignal(message: string) {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = () => {
    release()
    controller.abort(new ExportError(message, 'aborted'))
  }
  const release = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  for (const signal of signals) process.once(signal, stop)
  return { signal: controller.signal, release }
}
