import { OperatorError } from '../../../server/base/operator-error.ts'
import { type MockOptions, type ScenarioName, scenarioNames } from '../mock/index.ts'
import { changeSettings } from '../mock/settings.ts'

interface Flag {
  /** What the help shows for the value; undefined = the flag has none. */
  value?: string
  text: string
  fallback?: string
}

/** The flags of every mock, by their names. */
export const listenFlags = {
  port: { value: 'number', text: 'port to listen on, 0 for any free one', fallback: '4010' },
  host: { value: 'address', text: 'address to listen on', fallback: '127.0.0.1' },
  'cors-origin': {
    value: 'url',
    text: 'origin whose scripts may call the mock from a browser; repeat it or separate them by commas (default: every origin)',
  },
  quiet: { text: 'print no line for each request' },
} as const satisfies Record<string, Flag>

/** The flags of a mock that moves. */
export const movingFlags = {
  scenario: {
    value: 'name',
    text: `keep state: jobs move, links expire, budgets run out; one of ${scenarioNames.join(', ')}`,
  },
  key: { value: 'text', text: 'the only API key to accept (default: every key)' },
  seed: { value: 'text', text: 'the same seed gives the same ids, counts, delays and faults' },
  step: { value: 'seconds', text: 'move the time by this much with each request, instead of letting it run' },
  speed: { value: 'factor', text: 'let the time run this many times as fast' },
  delay: { value: 'ms', text: 'wait before each answer' },
  error: {
    value: 'name',
    text: 'answer each request with a documented error, such as 503 or plan, or break the connection: network',
  },
} as const satisfies Record<string, Flag>

/** Returns the variable of a flag, such as QUIRE_MOCK_CORS_ORIGIN. */
export function nameVariable(flag: string): string {
  return `QUIRE_MOCK_${flag.toUpperCase().replaceAll('-', '_')}`
}

export interface Address {
  port: number
  host: string
  /** Whether scripts of this origin may read the answers. */
  allowsOrigin: (origin: string) => boolean
}

/** @throws {OperatorError} with exit code 2 for wrong usage. */
export function readAddress(given: { port: string; host: string; origins: readonly string[] | undefined }): Address {
  const port = Number(given.port)
  if (!/^\d{1,5}$/.test(given.port) || port > 65535) {
    throw new OperatorError('--port must be a whole number from 0 to 65535.', 2)
  }
  const origins = given.origins?.flatMap(text => text.split(',')).map(readOrigin)
  return { port, host: given.host, allowsOrigin: origin => origins?.includes(origin) ?? true }
}

function readOrigin(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new OperatorError(
    '--cors-origin must be an origin: scheme, host and port only, such as https://app.example.com.',
    2,
  )
}

/** The texts of the flags of a moving mock. */
export type MovingTexts = { readonly [Name in keyof typeof movingFlags]?: string | undefined }

/** The options of a moving mock, and the settings that are changed after its start. */
export interface Moving {
  options: MockOptions
  settings: { delay?: string; error?: string }
}

/** @throws {OperatorError} with exit code 2 for wrong usage. */
export function readMoving({ scenario = 'usual', key, seed, ...others }: MovingTexts): Moving {
  const step = readPositive('--step', others.step)
  const speed = readPositive('--speed', others.speed)
  if (step !== undefined && speed !== undefined) {
    throw new OperatorError('--step and --speed exclude each other. Leave one of them out.', 2)
  }
  if (key !== undefined && !/^[!-~]+$/.test(key)) {
    throw new OperatorError(
      '--key must be a text of ASCII characters without spaces. Leave it out to accept every key.',
      2,
    )
  }
  const { delay, error } = others
  const settings = { ...(delay !== undefined && { delay }), ...(error !== undefined && { error }) }
  try {
    changeSettings({ scenario: 'usual', delayMs: 0, error: null }, { scenario, ...settings })
  } catch (problem) {
    throw new OperatorError((problem as Error).message, 2)
  }
  return {
    options: {
      scenario: scenario as ScenarioName,
      ...(key !== undefined && { key }),
      ...(seed !== undefined && { seed }),
      ...(step !== undefined && { stepSeconds: step }),
      ...(speed !== undefined && { speed }),
    },
    settings,
  }
}

function readPositive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && value > 0) return value
  throw new OperatorError(`${flag} must be a number above 0. Example: ${flag} 2`, 2)
}
