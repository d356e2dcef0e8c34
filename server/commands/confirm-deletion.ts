import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'

/** How many there are of something, and its names: one, and more than one. */
type Counted = readonly [number: number, one: string, many: string]

/** Says what a deletion would delete. The command needs --yes. */
export function askToConfirm({ id, name }: { id: string; name: string }, parts: readonly Counted[]): OperatorError {
  const listed = parts.map(([number, one, many]) => `${number} ${number === 1 ? one : many}`).join(', ')
  return new OperatorError(
    `This permanently deletes ${escapeControls(name)} (${id}): ${listed}. Confirm with --yes.`,
    2,
  )
}
