import { Option } from 'commander'

/** `--strict`, for the commands that count logs. */
export function strictOption(): Option {
  return new Option('--strict', 'record nothing and fail if the counts of a log may be wrong').env('QUIRE_STRICT')
}

/** The paragraph about warnings in `--help`. */
export const strictHelp = `A warning says that the counts of a log may be wrong: most lines are malformed, the first lines are in no format or in
several, no line is a page view or has a user agent, nearly every page view is of a new visitor, nearly all are of one address,
the dates jump by more than a year, or nothing below a header could be read. With --strict, nothing is recorded when there is a
warning or a log cannot be read, and the command fails.`
