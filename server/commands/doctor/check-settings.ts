import { findNearestName } from '../../base/nearest-name.ts'
import { type Finding, fail, messageOf, ok } from './finding.ts'

/** Variables of tests, benchmarks, the mock and the samples of the documentation. */
const otherVariables = /^QUIRE_(TEST|BENCH|MOCK)_|^QUIRE_(API_KEY|DREDD|GENERATE_CHECK)$/

/** A setting of a command. */
export interface Setting {
  envVar?: string | undefined
  /** Throws for a value that cannot be used. */
  parseArg?: ((value: string, previous: undefined) => unknown) | undefined
}

/**
 * Checks the environment variables of this process.
 *
 * @param settings of all commands.
 * @param readServer reads the settings of the server, and throws when they contradict each other.
 */
export function checkSettings(
  env: NodeJS.ProcessEnv,
  settings: readonly Setting[],
  readServer: () => unknown,
): Finding[] {
  const known = new Set(settings.flatMap(({ envVar }) => envVar ?? []))
  const set = Object.keys(env).filter(name => name.startsWith('QUIRE_') && !otherVariables.test(name))
  const unknown = set.filter(name => !known.has(name)).map(name => explainUnknown(name, [...known]))
  const invalid = settings.flatMap(setting => checkValue(setting, env) ?? [])
  const findings = [...unknown, ...dropEqual(invalid)]
  if (invalid.length === 0) findings.push(...checkTogether(readServer))
  if (findings.length > 0) return findings
  const names = set.sort().join(', ')
  return [ok('settings', names === '' ? 'No QUIRE_ variable is set. Defaults are used.' : `${names} can be used.`)]
}

function explainUnknown(name: string, known: readonly string[]): Finding {
  const nearest = findNearestName(name, known)
  const remedy = nearest ? `Rename it to ${nearest}, or remove it.` : 'Correct the name, or remove the variable.'
  return fail('settings', `${name} is not a setting, so it is ignored.`, remedy)
}

function checkValue({ envVar, parseArg }: Setting, env: NodeJS.ProcessEnv): Finding | undefined {
  const value = envVar === undefined ? undefined : env[envVar]
  if (value === undefined || parseArg === undefined) return undefined
  try {
    parseArg(value, undefined)
    return undefined
  } catch (error) {
    // A header may hold a password, so values are not shown.
    return fail('settings', `${envVar} cannot be used.`, messageOf(error))
  }
}

/** Several commands read the same variable. */
function dropEqual(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map(finding => [`${finding.message} ${finding.remedy}`, finding])).values()]
}

function checkTogether(readServer: () => unknown): Finding[] {
  try {
    readServer()
    return []
  } catch (error) {
    const text = messageOf(error)
    const message = 'The server does not start with these settings.'
    // What is wrong, and then what to do. Most errors of settings say both in one sentence.
    const [, problem, remedy] = /^(.*?[.]) (?=[A-Z])(.*)$/s.exec(text) ?? []
    if (problem === undefined || remedy === undefined) return [fail('settings', message, text)]
    return [fail('settings', `${message} ${problem}`, remedy)]
  }
}
