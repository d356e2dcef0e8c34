import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { parseAgents } from '../analytics/import/parse-agents.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { OwnAgentList } from '../tenancy/project.ts'
import { describeUnreadable } from './read-given-file.ts'

/**
 * Reads a file of agents, see `parseAgents`.
 *
 * @throws {InvalidArgumentError} naming the entry and the field, to which commander adds the file.
 */
export function readAgentsFile(source: string): OwnAgentList {
  try {
    return { source, agents: parseAgents(readFileSync(source, 'utf8')) }
  } catch (error) {
    const reason = error instanceof OperatorError ? error.message : `It ${describeUnreadable(error)}`
    throw new InvalidArgumentError(reason)
  }
}
