import { type Command, Help, InvalidArgumentError, Option } from 'commander'

/** A flag of commands and its environment variable. In a table, its key is the name that commander gives to its value. */
export interface Setting {
  /** As commander writes it, such as `--port <number>`; without `<`, it takes no value. */
  flag: string
  env?: string
  /** For the help. */
  what: string
  choices?: readonly string[]
  default?: unknown
  /** What the help shows in place of the default. */
  shownDefault?: string
  /** The names of settings that cannot be given too. */
  conflicts?: readonly string[]
  mandatory?: true
  /**
   * Reads the text of the flag or of the variable.
   *
   * @param before what an earlier flag of the same name gave
   * @throws {InvalidArgumentError} saying what to write.
   */
  read?: (text: string, before: never) => unknown
}

/** The settings of a command, in the order of its help. */
export type Settings = Readonly<Record<string, Setting>>

type ValueOf<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { read: (...args: never) => infer Value }
    ? Value
    : Row extends { flag: `${string}<${string}` }
      ? string
      : boolean

type Given<Table> = {
  [Name in keyof Table]: Table[Name] extends { default: unknown } | { mandatory: true } ? Name : never
}[keyof Table]

/** The parsed flags of settings: those with a default are always there. */
export type FlagsOf<Table> = { -readonly [Name in Given<Table>]: ValueOf<Table[Name]> } & {
  -readonly [Name in Exclude<keyof Table, Given<Table>>]?: ValueOf<Table[Name]>
}

/**
 * Adds an option for each setting, in their order.
 *
 * @param usual for a command of many settings: those that `--help` shows. `--help-all` shows all.
 */
export function addSettings<Table extends Settings>(
  command: Command,
  settings: Table,
  usual: readonly (string & keyof Table)[] = [],
): Command {
  for (const setting of Object.values(settings)) command.addOption(toOption(setting))
  return usual.length === 0 ? command : showFirst(command, usual)
}

/** The names of the settings that the help of a long command shows; `--help-all` shows the others too. */
const usualOf = new WeakMap<Command, ReadonlySet<string>>()

function showFirst(command: Command, names: readonly string[]): Command {
  usualOf.set(command, new Set([...names, 'helpAll']))
  return command
    .option('--help-all', `display help with every flag (${command.options.length - names.length} more)`)
    .on('option:help-all', () => {
      usualOf.delete(command)
      command.help()
    })
}

/** Returns the options that the help of a command shows, for commander. */
export function visibleOptions(command: Command): Option[] {
  const shown = usualOf.get(command)
  const options = new Help().visibleOptions(command)
  return shown ? options.filter(option => option.long === '--help' || shown.has(option.attributeName())) : options
}

/** Creates the option of a setting. */
export function toOption({ flag, env, what, choices, read, conflicts, mandatory, ...rest }: Setting): Option {
  const option = new Option(flag, what)
  if (env !== undefined) option.env(env)
  if ('default' in rest) option.default(rest.default, rest.shownDefault)
  if (choices) option.choices(choices)
  if (read) option.argParser(read as (text: string, before: unknown) => unknown)
  if (conflicts) option.conflicts([...conflicts])
  return option.makeOptionMandatory(mandatory ?? false)
}

/** Returns the settings without their environment variables. */
export function withoutVariables<Table extends Settings>(settings: Table): Table {
  const rows = Object.entries(settings).map(([name, { env: _, ...setting }]) => [name, setting])
  return Object.fromEntries(rows) as Table
}

/** Creates a reader of whole numbers from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return value
  }
}

/** Creates a reader that refuses empty texts, which would silently mean something else. */
export function nonEmpty(what: string): (text: string) => string {
  return text => {
    if (text.trim() === '') throw new InvalidArgumentError(`It must be ${what}.`)
    return text
  }
}

const booleans = new Map([
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
  const value = booleans.get(text.toLowerCase())
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
