import { OperatorError } from '../base/operator-error.ts'

/** An archive is damaged, not complete, or contains what may not be unpacked. The message is one sentence with the reason. */
export class ArchiveError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 1, options)
  }
}

/** Quotes a name from an archive for a message. The name may be long and contain control characters. */
export function showName(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name)
}
