/** The answer that a request chooses as for the mock with examples (Prism): with `Prefer: code=404, example=NAME`. */
export interface PrismChoice {
  code?: string
  example?: string
}

/**
 * Returns the setting `error` that a choice stands for; undefined = the request chooses nothing.
 *
 * @param findStatus returns the status of an error of the operation by its name; undefined = it has no such error
 * @throws {Error} with a sentence for people, if the answer is not an error, because a mock with state cannot choose others
 */
export function readChoice(
  { code, example }: PrismChoice,
  error: string | undefined,
  findStatus: (name: string) => number | undefined,
): string | undefined {
  const wanted = example ?? code
  if (wanted === undefined) return undefined
  if (error !== undefined) throw new Error('Choose the answer with error, or with code and example, and not with both.')
  const shown = (example === undefined ? `code ${code}` : `example ${example}`).slice(0, 80)
  const status = findStatus(wanted)
  if (status === undefined) {
    throw new Error(
      `The mock that moves has no error with the ${shown} here. It chooses other answers by its state. Start it without --scenario to choose any.`,
    )
  }
  if (code !== undefined && code !== String(status)) {
    throw new Error(`The example ${example} has the status ${status}, not ${code.slice(0, 80)}. Leave out code.`)
  }
  return wanted
}
