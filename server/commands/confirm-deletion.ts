import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'

/** Says what a deletion would delete. The command needs --yes. */
export function askToConfirm({ id, name }: { id: string; name: string }, parts: readonly string[]): OperatorError {
  return new OperatorError(
    `This permanently deletes ${escapeControls(name)} (${id}): ${parts.join(', ')}. Confirm with --yes.`,
    2,
  )
}

/** Returns a number with the noun for it: `1 site`, `2 sites`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
