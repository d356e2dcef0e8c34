import { type Command, InvalidArgumentError, type Option } from 'commander'

const values = new Map([
  ...['1', 'true', 'yes', 'on'].map(text => [text, true] as const),
  ...['0', 'false', 'no', 'off', ''].map(text => [text, false] as const),
])

/** Whether the option takes no value, such as `--offline-search` and `--no-probe`. */
export function isBoolean({ required, optional }: Pick<Option, 'required' | 'optional'>): boolean {
  return !required && !optional
}

/**
 * Reads the environment variable of an option that takes no value; upper and lower case are equal.
 *
 * @throws {InvalidArgumentError} saying which values are possible.
 */
export function readBoolean(text: string): boolean {
  const value = values.get(text.toLowerCase())
  if (value === undefined) {
    throw new InvalidArgumentError('It must be 1, true, yes or on; or 0, false, no, off or empty.')
  }
  return value
}

/**
 * Corrects the options that take no value: commander turns them on if their variable exists, whatever it contains. Call it
 * after the command line is parsed. A flag on the command line wins.
 *
 * @throws {CommanderError} naming the variable, when its value cannot be used.
 */
export function readBooleanVariables(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (option.envVar === undefined || !isBoolean(option) || command.getOptionValueSource(name) !== 'env') continue
    const text = process.env[option.envVar] ?? ''
    const isGiven = readOrExplain(command, option, text)
    command.setOptionValueWithSource(name, option.negate ? !isGiven : isGiven, 'env')
  }
}

function readOrExplain(command: Command, { flags, envVar }: Option, text: string): boolean {
  try {
    return readBoolean(text)
  } catch (error) {
    // In the words of commander.
    return command.error(
      `error: option '${flags}' value '${text}' from env '${envVar}' is invalid. ${(error as Error).message}`,
      { exitCode: 2 },
    )
  }
}
