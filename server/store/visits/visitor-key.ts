import { existsSync } from 'node:fs'
import { OperatorError } from '../../base/operator-error.ts'
import { openSecret } from '../secret-file.ts'

/**
 * Opens the key of the visitor hashes, see `VisitorRecorder.openVisitorKey`.
 *
 * @param isInUse whether visitors were counted with it, so that it is not created
 * @param remedy what to do when it is missing
 */
export function openVisitorKey(file: string, isInUse: boolean, remedy = 'Restore the file from a backup.'): Uint8Array {
  if (!existsSync(file) && isInUse) {
    throw new OperatorError(
      `${file} is missing, but visitors were counted with this key. A new key would count all of them again. ${remedy}`,
    )
  }
  try {
    return openSecret(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'EACCES'
        ? `Permission denied for ${file}. Give the user of this process read and write access.`
        : message
    throw new OperatorError(reason, 1, { cause: error })
  }
}
