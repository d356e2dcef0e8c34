import { escapeControls } from '../base/escape-controls.ts'
import { findNearestName } from '../base/nearest-name.ts'
import { OperatorError } from '../base/operator-error.ts'

/** Max names that a message lists. */
const listedNames = 10

/**
 * Returns the only one.
 *
 * @param create the command that creates one: `orgs create NAME`
 * @throws {OperatorError} if there is none, or if there are several; then the message lists their names.
 */
export function getOnly<T extends { name: string }>(
  all: readonly T[],
  { noun, create, flag }: { noun: string; create: string; flag: string },
): T {
  const [only, ...more] = all
  if (!only) throw new OperatorError(`There is no ${noun} yet. Create one with: npx quire ${create}`)
  if (more.length === 0) return only
  const names = all.slice(0, listedNames).map(({ name }) => escapeControls(name))
  const rest = all.length > listedNames ? `, and ${all.length - listedNames} more` : ''
  throw new OperatorError(`There are ${all.length} ${noun}s. Name one with ${flag}: ${names.join(', ')}${rest}`, 2)
}

/**
 * Returns the one with this id, else the one with this name. Names need not be unique.
 *
 * @param list the command that lists them: `orgs list`
 * @throws {OperatorError} if there is none, or if several have the name; then the message lists their ids.
 */
export function getByName<T extends { id: string; name: string }>(
  all: readonly T[],
  idOrName: string,
  { noun, list }: { noun: string; list: string },
): T {
  const byId = all.find(({ id }) => id === idOrName)
  if (byId) return byId
  const [first, ...more] = all.filter(({ name }) => name === idOrName)
  if (!first) {
    const meant = findNearestName(
      idOrName,
      all.map(({ name }) => name),
    )
    const question = meant === undefined ? '' : ` Did you mean ${escapeControls(meant)}?`
    throw new OperatorError(`There is no ${noun} ${escapeControls(idOrName)}.${question} See: npx quire ${list}`)
  }
  if (more.length === 0) return first
  const ids = [first, ...more].map(({ id }) => id).join(', ')
  throw new OperatorError(
    `${more.length + 1} ${noun}s have the name ${escapeControls(idOrName)}. Give one of their ids: ${ids}`,
  )
}
