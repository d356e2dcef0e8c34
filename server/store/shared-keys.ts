import { readFileSync } from 'node:fs'
import { OperatorError } from '../base/operator-error.ts'
import { secretBytes } from './secret-file.ts'

/**
 * Reads the keys of a file that several servers have: 64 hexadecimal digits a line, or the 32 bytes of a file that Quire made.
 *
 * @param flag that names the file.
 * @throws {OperatorError} if the file cannot be read or has no key.
 */
export function readSharedKeys(flag: string, file: string): [Buffer, ...Buffer[]] {
  const content = read(flag, file)
  if (content.length === secretBytes) return [content]
  const [first, ...others] = content
    .toString('latin1')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => toKey(`${flag}: ${file}`, line))
  if (!first) throw new OperatorError(`${flag}: ${file} is empty. Make a key: openssl rand -hex 32`)
  return [first, ...others]
}

function read(flag: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`${flag}: ${file} cannot be read (${code}).`, 1, { cause: error })
  }
}

function toKey(place: string, line: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(line)) return Buffer.from(line, 'hex')
  throw new OperatorError(`${place} must have 64 hexadecimal digits in each line. Make a key: openssl rand -hex 32`)
}
