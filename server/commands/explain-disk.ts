import { OperatorError } from '../base/operator-error.ts'

const reasons: Record<string, string> = {
  ENOSPC: 'The disk is full. Free some space, or choose another disk.',
  EDQUOT: 'The disk quota of this user is used up. Free some space, or choose another disk.',
  EROFS: 'The file system is read-only. Choose another.',
  EIO: 'The disk reports an error. Check it.',
  EACCES: 'This user has no permission. Run the command as the user of the server.',
  EPERM: 'This user has no permission. Run the command as the user of the server.',
  EMFILE: 'Too many files are open. Raise the limit of this user (ulimit -n).',
}

/** Turns an error of the file system into a sentence with the remedy. Returns other errors unchanged. */
export function explainDisk(error: unknown): unknown {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (error instanceof OperatorError || !(code in reasons)) return error
  return new OperatorError(`${path === undefined ? '' : `${path}: `}${reasons[code]}`, 1, { cause: error })
}
