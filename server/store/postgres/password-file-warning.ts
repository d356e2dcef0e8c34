const warning = 'pgpass support is deprecated'

/**
 * Leaves out the warning that the driver prints when it takes a password from ~/.pgpass or PGPASSFILE. It tells programmers what
 * version 9 of the driver will drop; Quire needs version 8.
 */
export function omitPasswordFileWarning(): void {
  const { emitWarning } = process
  process.emitWarning = ((given: string | Error, ...rest: []) => {
    if (typeof given === 'string' && given.startsWith(warning)) return
    emitWarning.call(process, given, ...rest)
  }) as typeof process.emitWarning
}
