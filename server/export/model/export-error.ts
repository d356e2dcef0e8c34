import { OperatorError } from '../../base/operator-error.ts'

/** Reason for ending an export without a bundle. Programs may rely on these codes. */
export type ExportErrorCode =
  | 'aborted'
  | 'browser_failed'
  | 'browser_missing'
  | 'crashed'
  | 'failed'
  | 'forbidden_address'
  | 'leaves_domain'
  | 'login'
  | 'memory'
  | 'not_found'
  | 'robots'
  | 'stalled'
  | 'text_lost'
  | 'timeout'
  | 'too_large'
  | 'unreachable'

/** Ends an export. The message is one sentence that says what to do; it becomes the `error` of the job. */
export class ExportError extends OperatorError {
  readonly code: ExportErrorCode
  constructor(message: string, code: ExportErrorCode = 'failed', options?: ErrorOptions) {
    super(message, 1, options)
    this.code = code
  }
}

/** The message of an export that was stopped without another reason. */
export const stopped = 'The export was stopped before it was complete.'
