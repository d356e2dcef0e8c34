/**
 * A failure that the operator can act on: the message is a sentence that says what to do, and is shown as it is.
 *
 * A command that throws it ends with the exit code: 1 = it failed, 2 = wrong usage.
 */
export class OperatorError extends Error {
  readonly exitCode: 1 | 2
  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.exitCode = exitCode
  }
}
