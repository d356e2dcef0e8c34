import type { Agent } from '../agent/agent-settings.ts'
import { parseAgents } from '../agent/session/parse-agents.ts'
import { createDemoAgent, presetNames } from '../agent/session/presets.ts'
import { describeProgram } from '../assets.ts'
import { findNearestName } from '../base/nearest-name.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readGivenFile } from './read-given-file.ts'

/**
 * Finds the agent of a server: in the table of the operator, or among those that Quire knows.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export function readAgentTable(
  name: string,
  { file, model }: { file: string | undefined; model: string | undefined },
): Agent {
  const own = file === undefined ? [] : parse(readGivenFile(file, `--agents-file ${file}`), '--agents-file')
  const found = own.find(agent => agent.name === name)
  if (found) return found
  if (name === 'demo') return createDemoAgent(describeProgram('agent/session/demo-agent'))
  if (!(presetNames as readonly string[]).includes(name)) {
    const known = [...own.map(agent => agent.name), ...presetNames, 'demo']
    const nearest = findNearestName(name, known)
    const remedy = nearest === undefined ? `Known agents: ${known.join(', ')}.` : `Did you mean ${nearest}?`
    throw new OperatorError(`--agent ${name} is unknown. ${remedy}`, 2)
  }
  if (model === undefined) throw new OperatorError(`--agent ${name} needs --agent-model, the name of its model.`, 2)
  return parse(JSON.stringify({ [name]: { preset: name, model } }), '--agent')[0] as Agent
}

function parse(text: string, flag: string): Agent[] {
  try {
    return parseAgents(text)
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${flag}: ${error.message}`, 2) : error
  }
}
