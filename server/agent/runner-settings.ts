import type { Agent, Confinement, ModelEndpoint, RunLimits } from './agent-settings.ts'

/** How the runner of a server works on agent jobs. */
export interface AgentRunnerSettings {
  agent: Agent
  confinement: Confinement | 'find'
  endpoint: ModelEndpoint | null
  limits: RunLimits
  /** A command of a shell in the copy of the documentation, which must end with 0 before the change is pushed; undefined = none. */
  check: string | undefined
  /** Jobs of all projects, and of each, at a time. */
  jobsAtOnce: number
  perProject: number
}
