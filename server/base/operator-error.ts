/**
 * A failure that the operator can resolve. The message is a sentence with the remedy and is shown unchanged. A command that
 * throws this error exits with its exit code: 0 = it was asked to end, 1 = failed, 2 = wrong usage.
 */
export class OperatorError extends Error {
  readonly exitCode: 0 | 1 | 2
  constructor(message: string, exitCode: 0 | 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.exitCode = exitCode
  }
}
