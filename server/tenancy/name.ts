import { escapeControls, hasControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { isId } from './id.ts'

const maxCharacters = 100

const rule = `A name must have 1 to ${maxCharacters} characters, no control characters such as line breaks, and not the form of an id such as org_0f3c9a1b2d4e5f60.`

/**
 * Reads the name of an organization, a project or a key, without the spaces around it. A name with the form of an id is refused,
 * because commands accept a name where they accept an id.
 *
 * @throws {OperatorError} with the rule.
 */
export function readName(text: string): string {
  const name = text.trim()
  const problem = findProblem(name)
  if (problem === undefined) return name
  throw new OperatorError(`${problem} ${rule}`, 2)
}

function findProblem(name: string): string | undefined {
  if (name === '') return 'The name is empty.'
  const count = [...name].length
  if (count > maxCharacters) return `The name has ${count} characters.`
  if (hasControls(name) || !name.isWellFormed()) return `The name ${escapeControls(name)} has a control character.`
  if (isId(name)) return `The name ${name} has the form of an id.`
  return undefined
}

/** Says that others have the same name, so that commands need an id; undefined if there are none. */
export function describeSameName(
  all: readonly { id: string; name: string }[],
  { id, name }: { id: string; name: string },
  noun: string,
): string | undefined {
  const others = all.filter(other => other.name === name && other.id !== id)
  const [first, ...more] = others.map(other => other.id)
  if (first === undefined) return undefined
  const ids = [first, ...more].join(', ')
  const subject = more.length === 0 ? `Another ${noun} has` : `${more.length + 1} other ${noun}s have`
  return `${subject} the name ${escapeControls(name)} too (${ids}). Commands need the id of this one: ${id}`
}
