/**
 * What an event tells of. state: what the server does; message and thought: text of the agent; tool: one use of a tool; plan: the
 * steps that the agent wants to take; permission: what the server answered to a question of the agent; check: the output of a check;
 * prompt: an instruction that the agent got; end: how the run ended.
 */
export const agentEventKinds = [
  ...(['state', 'prompt', 'message', 'thought', 'tool', 'plan', 'permission', 'check', 'end'] as const),
] as const
export type AgentEventKind = (typeof agentEventKinds)[number]

/** One thing that happened in a run, shortened to `maxEventCharacters`. Only prompts are whole, with up to 20,000 characters. */
export interface NewAgentEvent {
  kind: AgentEventKind
  text: string
  /** In a word: the status of a tool, the answer to a question, the code of an end. */
  outcome?: string
}

export interface AgentEvent extends NewAgentEvent {
  /** Counts from 1 within a job, without gaps. */
  sequence: number
  /** Milliseconds since 1970 UTC. */
  at: number
}

export const maxEventCharacters = 8000
