import { mocked } from './extensions.ts'
import { explainNoError, findForcedError } from './forced-error.ts'
import type { PrismChoice } from './prism-choice.ts'
import { isScenario, type ScenarioName, scenarioNames } from './scenarios.ts'

/** What the mock does with a request. */
export interface Settings {
  scenario: ScenarioName
  /** How long the answer waits, besides the delay of the scenario. */
  delayMs: number
  /** The answer: the status or the name of a documented error, or `network` for a connection that breaks; null = the usual one. */
  error: string | null
}

/** Settings as text, from flags, a form, a query or a header. A missing one keeps its value. */
export type SettingTexts = { readonly [Name in (typeof settingNames)[number]]?: string | undefined }

export const maxDelayMs = 60_000

/** Whether a text is a delay in milliseconds. */
export function isDelay(text: string): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) <= maxDelayMs
}

/**
 * Returns the settings with the given ones in their place. An empty `error` means the usual answer.
 *
 * @throws {Error} with a sentence for people.
 */
export function changeSettings(settings: Settings, { scenario, delay, error }: SettingTexts): Settings {
  return {
    scenario: scenario === undefined ? settings.scenario : readScenario(scenario),
    delayMs: delay === undefined ? settings.delayMs : readDelay(delay),
    error: error === undefined ? settings.error : readError(error),
  }
}

/** @throws {Error} that lists the scenarios. */
export function readScenario(name: string): ScenarioName {
  if (isScenario(name)) return name
  throw new TypeError(`There is no scenario ${name.slice(0, 80)}. Choose one of: ${scenarioNames.join(', ')}.`)
}

/** @throws {Error} with the rule. */
export function readDelay(text: string): number {
  if (isDelay(text)) return Number(text)
  throw new Error(`The delay must be a whole number of milliseconds from 0 to ${maxDelayMs}. Example: 500`)
}

/** @throws {Error} that lists the errors. */
export function readError(text: string): string | null {
  if (text === '') return null
  if (text === 'network' || mocked.routes.some(route => findForcedError(route, text))) return text
  throw new TypeError(explainNoError(text))
}

/** The settings that can change while the mock runs. */
export const settingNames = ['scenario', 'delay', 'error'] as const

/** The settings of one request. */
export interface TakenSettings {
  /** The target without them. */
  target: string
  texts: SettingTexts
  choice: PrismChoice
}

const taken = [...settingNames, 'code', 'example'] as const

/**
 * Takes the settings of one request from its query (`__scenario`, `__delay`, `__error`) and from its header `Prefer` (RFC 7240), which
 * has the same names without underscores; `code` and `example` are those of Prism.
 */
export function takeSettings(target: string, prefer: string | null): TakenSettings {
  const texts: { [Name in (typeof taken)[number]]?: string } = {}
  for (const preference of (prefer ?? '').split(',')) {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim())
    const known = taken.find(other => other === name.toLowerCase())
    if (known) texts[known] = value.replace(/^"(.*)"$/, '$1')
  }
  const [path = '', ...query] = target.split('?')
  const pairs = query.length === 0 ? [] : query.join('?').split('&')
  const others = pairs.filter(pair => {
    const [name = '', ...value] = pair.split('=')
    const known = taken.find(other => name === `__${other}`)
    if (known) texts[known] = new URLSearchParams(`v=${value.join('=')}`).get('v') ?? ''
    return known === undefined
  })
  const { code, example, ...settings } = texts
  return {
    target:
      others.length === pairs.length ? target : [path, ...(others.length > 0 ? [others.join('&')] : [])].join('?'),
    texts: settings,
    choice: { ...(code !== undefined && { code }), ...(example !== undefined && { example }) },
  }
}
