import { OperatorError } from '../../base/operator-error.ts'

/** Why an export ended without a bundle; stable, for programs. */
export type ExportErrorCode =
  | 'aborted'
  | 'browser_missing'
  | 'failed'
  | 'forbidden_address'
  | 'leaves_domain'
  | 'not_found'
  | 'robots'
  | 'timeout'
  | 'too_large'
  | 'unreachable'

/** Ends an export. The message is one sentence a person can act on; it is shown as the `error` of the job. */
export class ExportError extends OperatorError {
  readonly code: ExportErrorCode
  constructor(message: string, code: ExportErrorCode = 'failed', options?: ErrorOptions) {
    super(message, 1, options)
    this.code = code
  }
}
