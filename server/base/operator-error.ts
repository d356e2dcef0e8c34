/** Ends a command with one line to standard error; 1 = it failed, 2 = it was called wrongly. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
