import type { ScenarioName } from './scenarios.ts'
import { isDelay, maxDelayMs, readError, readScenario, type SettingTexts, settingNames } from './settings.ts'

export interface MockOptions {
  /** Default: usual. */
  scenario?: ScenarioName
  /** The only key that is accepted, besides `read-only`, `write-only`, `ingest`, `count-views`, `standard` and `other`. Default: every key. */
  key?: string
  /** The same seed gives the same ids, counts, delays and faults. Default: quire. */
  seed?: string
  /**
   * The time of the mock moves by this much with each request, and stands still in between. Excludes `speed`. Default: it runs.
   * Give `waitForExport` a short `maxWaitMs` then, because its waits move nothing.
   */
  stepSeconds?: number
  /** How many times as fast the time of the mock runs. Default: 1. */
  speed?: number
  /** How long each answer waits, besides the delay of the scenario. Default: 0. */
  delayMs?: number
  /** Each answer: the status or the name of a documented error, or `network` for a connection that breaks. Default: the usual one. */
  error?: string
  /** Waits before a slow answer. Default: with a timer. */
  wait?: (delayMs: number) => Promise<void>
}

/** Far above any use. Dates beyond the year 275,000 do not exist. */
const maxTime = 1_000_000

const isTime = (value: unknown) => typeof value === 'number' && value > 0 && value <= maxTime
const timeRule = (name: string) => `${name} must be a number above 0 and up to ${maxTime}. Example: ${name}: 1`

/** Throws a sentence if the value of the option cannot be used. */
const checks: { readonly [Name in keyof MockOptions]-?: (value: unknown) => void } = {
  scenario: value => void readScenario(String(value)),
  key: value =>
    ensure(
      typeof value === 'string' && /^[!-~]+$/.test(value),
      'key must be a text of ASCII characters without spaces. Leave it out to accept every key.',
    ),
  seed: value => ensure(typeof value === 'string', "seed must be a text. Example: seed: 'quire'"),
  stepSeconds: value => ensure(isTime(value), timeRule('stepSeconds')),
  speed: value => ensure(isTime(value), timeRule('speed')),
  delayMs: value =>
    ensure(
      typeof value === 'number' && isDelay(String(value)),
      `delayMs must be a whole number of milliseconds from 0 to ${maxDelayMs}. Example: delayMs: 500`,
    ),
  error: value => void readError(toText('error', value)),
  wait: value =>
    ensure(
      typeof value === 'function',
      'wait must be a function that takes milliseconds and returns a promise. Leave it out to wait with a timer.',
    ),
}

/**
 * Checks options that come from code without types.
 *
 * @param place the function that takes the options
 * @param more options that only this function has
 * @throws {TypeError} with a sentence that names the option
 */
export function checkOptions(given: object, place: string, more: readonly string[] = []): void {
  ensure(
    typeof given === 'object' && given !== null,
    `${place} takes its options in an object. Example: { scenario: 'usual' }`,
  )
  refuseUnknown(given, [...Object.keys(checks), ...more], `${place} has no option`)
  const { stepSeconds, speed } = given as MockOptions
  for (const [name, check] of Object.entries(checks)) {
    const value = given[name as keyof object]
    if (value !== undefined) check(value)
  }
  const isTwice = stepSeconds !== undefined && speed !== undefined
  ensure(!isTwice, 'stepSeconds and speed exclude each other. Leave one of them out.')
}

/**
 * Checks settings that come from code without types, and converts numbers to texts.
 *
 * @throws {TypeError} with a sentence that names the setting
 */
export function readSettings(given: object): SettingTexts {
  ensure(typeof given === 'object' && given !== null, "Settings are an object. Example: { scenario: 'slow' }")
  refuseUnknown(given, settingNames, 'There is no setting')
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, toText(name, value)]))
}

function toText(name: string, value: unknown): string {
  ensure(
    typeof value === 'string' || typeof value === 'number',
    `${name} must be a text. Leave it out if it is not needed.`,
  )
  return String(value)
}

function refuseUnknown(given: object, known: readonly string[], problem: string): void {
  const unknown = Object.keys(given).find(name => !known.includes(name))
  ensure(unknown === undefined, `${problem} ${unknown?.slice(0, 80)}. Choose one of: ${known.join(', ')}.`)
}

function ensure(holds: boolean, sentence: string): void {
  if (!holds) throw new TypeError(sentence)
}
