import { type Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { type MockOptions, type ScenarioName, scenarioNames } from '../spec/package/mock/index.ts'
import { changeSettings } from '../spec/package/mock/settings.ts'

/** The flags of a moving mock. */
export interface MovingFlags {
  scenario?: ScenarioName
  key?: string
  seed?: string
  step?: number
  speed?: number
  delay?: string
  error?: string
}

/** Adds the options of a moving mock to the command. */
export function addMovingOptions(program: Command): Command {
  const options = [
    new Option(
      '--scenario <name>',
      `keep state: jobs move, links expire, budgets run out; one of ${scenarioNames.join(', ')} (default: fixed examples)`,
    ).env('QUIRE_MOCK_SCENARIO'),
    new Option('--key <text>', 'with --scenario: the only API key to accept (default: every key)').env(
      'QUIRE_MOCK_KEY',
    ),
    new Option('--seed <text>', 'with --scenario: the same seed gives the same ids, counts, delays and faults').env(
      'QUIRE_MOCK_SEED',
    ),
    new Option(
      '--step <seconds>',
      'with --scenario: move the time by this much with each request, instead of letting it run',
    )
      .env('QUIRE_MOCK_STEP')
      .argParser(parsePositive),
    new Option('--speed <factor>', 'with --scenario: let the time run this many times as fast')
      .env('QUIRE_MOCK_SPEED')
      .argParser(parsePositive),
    new Option('--delay <ms>', 'with --scenario: wait before each answer').env('QUIRE_MOCK_DELAY'),
    new Option(
      '--error <name>',
      'with --scenario: answer each request with a documented error, such as 503 or plan, or break the connection: network',
    ).env('QUIRE_MOCK_ERROR'),
  ]
  for (const option of options) program.addOption(option)
  return program
}

/**
 * Returns the options of the moving mock, and the settings that are changed after its start; undefined for a mock with fixed
 * examples.
 *
 * @throws {OperatorError} with exit code 2 for wrong usage.
 */
export function readMovingFlags(
  flags: MovingFlags,
): { options: MockOptions; settings: { delay?: string; error?: string } } | undefined {
  const { scenario, key, seed, step, speed, delay, error } = flags
  const given = Object.entries({ key, seed, step, speed, delay, error }).find(([, value]) => value !== undefined)
  if (scenario === undefined) {
    if (!given) return undefined
    throw new OperatorError(`--${given[0]} needs --scenario. Example: npm run mock -- --scenario usual`, 2)
  }
  if (step !== undefined && speed !== undefined) {
    throw new OperatorError('--step and --speed exclude each other. Leave one of them out.', 2)
  }
  if (key !== undefined && !/^[!-~]+$/.test(key)) {
    throw new OperatorError(
      '--key must be a text of ASCII characters without spaces. Leave it out to accept every key.',
      2,
    )
  }
  const settings = { ...(delay !== undefined && { delay }), ...(error !== undefined && { error }) }
  try {
    changeSettings({ scenario: 'usual', delayMs: 0, error: null }, { scenario, ...settings })
  } catch (problem) {
    throw new OperatorError((problem as Error).message, 2)
  }
  return {
    options: {
      scenario,
      ...(key !== undefined && { key }),
      ...(seed !== undefined && { seed }),
      ...(step !== undefined && { stepSeconds: step }),
      ...(speed !== undefined && { speed }),
    },
    settings,
  }
}

function parsePositive(text: string): number {
  const value = Number(text)
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}
