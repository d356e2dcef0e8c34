import type { Kind } from '../../server/analytics/agents/agent-list.ts'
import { OperatorError } from '../../server/base/operator-error.ts'

/** User agents of one source. The label comes from the source, not from Quire. */
export interface LabelledGroup {
  label: Kind
  source: string
  userAgents: string[]
}

/**
 * Reads a list of labelled user agents: JSON as in test/analytics/agents/user-agents/, or a text with one user agent a line.
 *
 * @param label the label of a text, which has none
 * @throws {OperatorError} when the list has no label or is not a list of groups.
 */
export function readLabelled(file: string, text: string, label?: Kind): LabelledGroup[] {
  if (text.trimStart().startsWith('[')) return checkGroups(file, JSON.parse(text))
  if (label === undefined)
    throw new OperatorError(`${file} is a text: name its label with --label human|ai|neither.`, 2)
  return [{ label, source: file, userAgents: text.split(/\r?\n/).filter(line => line.trim() !== '') }]
}

function checkGroups(file: string, groups: unknown): LabelledGroup[] {
  const isGroup = (group: Partial<LabelledGroup>) =>
    ['human', 'ai', 'neither'].includes(group.label ?? '') && Array.isArray(group.userAgents)
  if (Array.isArray(groups) && groups.every(isGroup)) return groups
  throw new OperatorError(`${file} must be a list of {"label": "human" | "ai" | "neither", "userAgents": [...]}.`)
}
