import { type Command, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import {
  listenFlags,
  type Moving,
  type MovingTexts,
  movingFlags,
  nameVariable,
  readMoving,
} from '../spec/package/mock-server/flags.ts'

/** Adds the options of every mock to the command. */
export function addListenOptions(program: Command): Command {
  const { 'cors-origin': origin, quiet, ...others } = listenFlags
  for (const [name, { value, text, fallback }] of Object.entries(others)) {
    program.addOption(new Option(`--${name} <${value}>`, text).env(nameVariable(name)).default(fallback, fallback))
  }
  return program
    .addOption(
      new Option(`--cors-origin <${origin.value}>`, origin.text)
        .env(nameVariable('cors-origin'))
        .argParser((text, before: string[] = []) => [...before, text]),
    )
    .addOption(new Option('--quiet', quiet.text).env(nameVariable('quiet')))
}

/** Adds the options of a moving mock to the command. */
export function addMovingOptions(program: Command): Command {
  for (const [name, { value, text }] of Object.entries(movingFlags)) {
    const shown = name === 'scenario' ? `${text} (default: fixed examples)` : `with --scenario: ${text}`
    program.addOption(new Option(`--${name} <${value}>`, shown).env(nameVariable(name)))
  }
  return program
}

/**
 * Reads the flags of a moving mock. Returns undefined for a mock with fixed examples.
 *
 * @throws {OperatorError} with exit code 2 for wrong usage.
 */
export function readMovingFlags(flags: MovingTexts): Moving | undefined {
  if (flags.scenario !== undefined) return readMoving(flags)
  const given = Object.keys(movingFlags).find(name => flags[name as keyof MovingTexts] !== undefined)
  if (given === undefined) return undefined
  throw new OperatorError(`--${given} needs --scenario. Example: npm run mock -- --scenario usual`, 2)
}
