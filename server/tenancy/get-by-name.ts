import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'

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
  if (!first) throw new OperatorError(`There is no ${noun} ${escapeControls(idOrName)}. See: npx quire ${list}`)
  if (more.length === 0) return first
  const ids = [first, ...more].map(({ id }) => id).join(', ')
  throw new OperatorError(
    `${more.length + 1} ${noun}s have the name ${escapeControls(idOrName)}. Give one of their ids: ${ids}`,
  )
}
