import { routes } from '../../../generated/operations.ts'
import { explainNoError, findForcedError } from './forced-error.ts'
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
export type SettingTexts = { readonly [Name in 'scenario' | 'delay' | 'error']?: string | undefined }

const maxDelayMs = 60_000

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
  throw new Error(`There is no scenario ${name.slice(0, 80)}. Choose one of: ${scenarioNames.join(', ')}.`)
}

/** @throws {Error} with the rule. */
export function readDelay(text: string): number {
  const delayMs = Number(text)
  if (/^\d{1,6}$/.test(text) && delayMs <= maxDelayMs) return delayMs
  throw new Error(`The delay must be a whole number of milliseconds from 0 to ${maxDelayMs}. Example: 500`)
}

/** @throws {Error} that lists the errors. */
export function readError(text: string): string | null {
  if (text === '') return null
  if (text === 'network' || routes.some(route => findForcedError(route, text))) return text
  throw new Error(explainNoError(text))
}

const names = ['scenario', 'delay', 'error'] as const

/**
 * Takes the settings of one request from its query (`__scenario`, `__delay`, `__error`) and from its header `Prefer` (RFC 7240), which
 * has the same names without underscores. Returns the target without them.
 */
export function takeSettings(target: string, prefer: string | null): { target: string; texts: SettingTexts } {
  const texts: { -readonly [Name in keyof SettingTexts]: SettingTexts[Name] } = {}
  for (const preference of (prefer ?? '').split(',')) {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim())
    const known = names.find(other => other === name.toLowerCase())
    if (known) texts[known] = value.replace(/^"(.*)"$/, '$1')
  }
  const [path = '', ...query] = target.split('?')
  if (query.length === 0) return { target, texts }
  const kept = query.join('?').split('&')
  const others = kept.filter(pair => {
    const [name = '', ...value] = pair.split('=')
    const known = names.find(other => name === `__${other}`)
    if (known) texts[known] = new URLSearchParams(`v=${value.join('=')}`).get('v') ?? ''
    return known === undefined
  })
  return { target: others.length === 0 ? path : `${path}?${others.join('&')}`, texts }
}
