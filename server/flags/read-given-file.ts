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
    throw new OperatorError(`${name} ${describeUnreadable(error)}`, 2)
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: ' It does not exist. Correct its path.',
  ENOTDIR: ' It does not exist. Correct its path.',
  EISDIR: ' It is a folder. Name the file in it.',
  EACCES: ' Give this user the right to read it.',
}

/** Says of a file why it cannot be read, and what to do. */
export function describeUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return `cannot be read (${code}).${remedies[code ?? ''] ?? ''}`
}
