import { readFileSync } from 'node:fs'
import { OperatorError } from '../base/operator-error.ts'

/**
 * Reads a text file that the operator named.
 *
 * @param name of the file in errors, such as `--steps login.jsonl`
 * @throws {OperatorError} with exit code 2, if it cannot be read.
 */
export function readGivenFile(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2)
  }
}
