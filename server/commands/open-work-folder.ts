import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { openScratchFolder, type ScratchFolder } from '../store/scratch-folder.ts'
import { explainFolder } from './output-file.ts'

/**
 * Opens a scratch folder in the folder of `--work-folder`, or in the temporary folder.
 *
 * @throws {OperatorError} wrong usage, when the folder cannot be written.
 */
export async function openWorkFolder(folder: string | undefined): Promise<ScratchFolder> {
  const parent = folder ? resolve(folder) : tmpdir()
  return openScratchFolder(parent).catch(error => {
    const why = explainFolder((error as NodeJS.ErrnoException).code, parent)
    throw new OperatorError(`--work-folder ${parent} cannot be written to (${why}).`, 2)
  })
}
