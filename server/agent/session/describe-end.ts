import { constants } from 'node:os'
import { shorten } from '../../base/shorten.ts'
import type { Agent } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import type { ConfinedProcess } from './confined-process.ts'
import type { AgentAnswer } from './connect-agent.ts'

interface End {
  code?: number | null
  signal?: string | null
  error?: unknown
}

/** Exit codes of programs that could not start another one. */
const notExecutable = 126
const notFound = 127

/** Says why the agent ended before it had a session. */
export function describeFailedStart(agent: Agent, end: End, process: ConfinedProcess | undefined): RunError {
  const options = { cause: new Error(process?.lastErrors() || 'it wrote nothing') }
  const errors = options.cause.message
  if (end.code === notFound || end.code === notExecutable || /^bwrap: execvp/m.test(errors)) {
    return new RunError(
      'agent_unusable',
      `The program ${agent.command[0]} of the agent ${agent.name} is not found or cannot be run in the confinement. Install it in /usr, or list its files.`,
      options,
    )
  }
  if (/^bwrap: Can't find source path/m.test(errors))
    return new RunError(
      'agent_unusable',
      `A file that the agent ${agent.name} needs does not exist. Correct its files.`,
      options,
    )
  if (/^bwrap: /m.test(errors))
    return new RunError('agent_unusable', 'The confinement of the agent cannot be set up.', options)
  return describeCrash(end, process)
}

/** Says how the agent ended before its turn did. */
export function describeCrash(end: End, process: ConfinedProcess | undefined, modelFailure?: string): RunError {
  const cause = new Error(process?.lastErrors() || 'it wrote nothing')
  if (modelFailure !== undefined) return new RunError('model_refused', modelFailure, { cause })
  if (end.error !== undefined) {
    const said = end.error instanceof Error ? end.error.message : String(end.error)
    return new RunError('agent_crashed', `The agent answered with an error: ${shorten(said, 300)}`, { cause })
  }
  return new RunError('agent_crashed', `The agent ended before its turn did (${describeExit(end)}).`, { cause })
}

function describeExit({ code, signal }: End): string {
  if (signal) return signal
  const inner = typeof code === 'number' && code > 128 && findSignal(code - 128)
  return inner || `exit code ${code}`
}

function findSignal(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0]
}

/** Returns the error of a turn that the agent ended by itself, but not well. */
export function describeEnd({ stopReason }: AgentAnswer, modelFailure: string | undefined): RunError | undefined {
  if (modelFailure !== undefined) return new RunError('model_refused', modelFailure)
  switch (stopReason) {
    case 'end_turn':
      return undefined
    case 'refusal':
      return new RunError('agent_refused', 'The agent refused the instruction.')
    case 'max_tokens':
      return new RunError('resource_limit', 'The answer of the model reached its largest number of tokens.')
    case 'max_turn_requests':
      return new RunError('resource_limit', 'The agent reached its own limit of model calls in a turn.')
    case 'cancelled':
      return new RunError('agent_crashed', 'The agent ended its turn as cancelled, but nobody cancelled it.')
    default:
      return new RunError('agent_crashed', 'The agent ended its turn for a reason that the protocol does not have.')
  }
}
