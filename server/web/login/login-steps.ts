import { OperatorError } from '../../base/operator-error.ts'

/** Where the text for a field comes from. A secret is never in the file of the steps. */
export type StepValue = { text: string } | { variable: string } | { stdin: true }

/** One step of signing in. `line` is its line in the file. */
export type LoginStep = { line: number } & (
  | { open: string }
  | { fill: string; value: StepValue }
  | { click: string }
  | { press: string }
  | { wait: string }
)

const forms = `{"open": "/login"}, {"fill": "#user", "value-env": "DOCS_USER"}, {"click": "text=Sign in"}, {"press": "Enter"} or {"wait": "#content"}`

/**
 * Parses steps: JSON, one a line. Empty lines and lines that begin with # are left out.
 *
 * @throws {OperatorError} with the line, and nothing of its values.
 */
export function parseLoginSteps(text: string, file: string): LoginStep[] {
  const steps = text.split('\n').flatMap((row, at) => {
    const trimmed = row.trim()
    return trimmed === '' || trimmed.startsWith('#') ? [] : [parseStep(trimmed, at + 1, file)]
  })
  if (steps.length === 0) throw new OperatorError(`--steps ${file} has no steps. Write one a line: ${forms}`, 2)
  return steps
}

function parseStep(row: string, line: number, file: string): LoginStep {
  const refuse = (why: string): never => {
    throw new OperatorError(`--steps ${file}, line ${line}: ${why}.`, 2)
  }
  const given = new Map(Object.entries(parseObject(row) ?? refuse(`it must be one of ${forms}`)))
  const isText = [...given].every(
    ([name, value]) => typeof value === 'string' || (name === 'value-stdin' && value === true),
  )
  const [action, ...more] = [...given.keys()].filter(name => !name.startsWith('value'))
  const target = String(given.get(action ?? ''))
  const values = [...given.keys()].filter(name => name.startsWith('value'))
  if (!isText || more.length > 0) refuse(`it must be one of ${forms}`)
  if (action === 'fill') {
    const [name, ...others] = values
    if (others.length > 0) refuse('fill takes one of value, value-env and value-stdin')
    const value = String(given.get(name ?? ''))
    if (name === 'value') return { line, fill: target, value: { text: value } }
    if (name === 'value-env') return { line, fill: target, value: { variable: value } }
    if (name === 'value-stdin') return { line, fill: target, value: { stdin: true } }
    return refuse(
      'fill needs value-env with the name of a variable, value-stdin, or value for a text that is no secret',
    )
  }
  if (values.length > 0) refuse(`only fill takes ${values[0]}`)
  if (action === 'open') return { line, open: target }
  if (action === 'click') return { line, click: target }
  if (action === 'press') return { line, press: target }
  if (action === 'wait') return { line, wait: target }
  return refuse(`it must be one of ${forms}`)
}

function parseObject(row: string): object | null {
  try {
    const value: unknown = JSON.parse(row)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
