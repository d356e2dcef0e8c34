import { OperatorError } from '../../base/operator-error.ts'

const actions = ['open', 'fill', 'click', 'press', 'wait'] as const
/** Where the text for a field comes from. A secret is never in the file of the steps. */
const sources = ['value', 'value-env', 'value-stdin'] as const

/** One step of signing in. */
export interface LoginStep {
  /** In the file. */
  line: number
  action: (typeof actions)[number]
  /** An address, a key or a selector. */
  target: string
  /** For a field: a text, the name of a variable, or a line of standard input. */
  value?: { source: (typeof sources)[number]; text: string }
}

const forms =
  'write one of {"open": "/login"}, {"fill": "#user", "value-env": "DOCS_USER"}, {"click": "text=Sign in"}, {"press": "Enter"} and {"wait": "#content"}'

/**
 * Parses steps: JSON, one a line. Empty lines and lines that begin with # are left out.
 *
 * @throws {OperatorError} with the line, and nothing of its values.
 */
export function parseLoginSteps(text: string, file: string): LoginStep[] {
  const steps = text.split('\n').flatMap((row, at) => {
    if (/^\s*(?:#|$)/.test(row)) return []
    const step = parseStep(row, at + 1)
    if (typeof step === 'string') throw new OperatorError(`--steps ${file}, line ${at + 1}: ${step}.`, 2)
    return [step]
  })
  if (steps.length === 0) throw new OperatorError(`--steps ${file} has no steps: ${forms}.`, 2)
  return steps
}

/** Returns what is wrong if the row is no step. */
function parseStep(row: string, line: number): LoginStep | string {
  const given = parseObject(row)
  const [action, ...more] = actions.filter(name => name in given)
  const [source, ...others] = sources.filter(name => name in given)
  const target = action && given[action]
  const isKnown = Object.keys(given).length === 1 + (source ? 1 : 0)
  if (action === undefined || typeof target !== 'string' || more.length > 0) return forms
  if (action !== 'fill')
    return isKnown && !source ? { line, action, target } : `only fill takes a value, and nothing else; ${forms}`
  if (source === undefined || others.length > 0 || !isKnown)
    return 'fill needs value-env with the name of a variable, or value-stdin, or value with a text that is no secret'
  return { line, action, target, value: { source, text: String(given[source]) } }
}

function parseObject(row: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(row) }
  } catch {
    return {}
  }
}
