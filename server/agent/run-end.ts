/** How an agent job looks to the readers of the administration API after each end of its run. */
export const runEnds = {
  /** The change is published. */
  changed: 'completed',
  /** The agent ended its turn, and no file changed. */
  no_change: 'completed',
  cancelled: 'failed',
  /** The time of the job was up. */
  time_limit: 'failed',
  /** More memory, processes, output, events or model calls than allowed. */
  resource_limit: 'failed',
  /** More changed files, lines or bytes than allowed. */
  change_limit: 'failed',
  /** Something that is never committed: a link, a dot file, a file outside of the folders. */
  change_refused: 'failed',
  /** The program of the agent ended or broke the protocol. */
  agent_crashed: 'failed',
  /** The program of the agent cannot be started, or speaks another version of the protocol. */
  agent_unusable: 'failed',
  /** The agent said that it will not do this. */
  agent_refused: 'failed',
  /** The endpoint of the model refused the request, such as for a wrong key. */
  model_refused: 'failed',
  /** A check still fails after the agent was told its output. */
  check_failed: 'failed',
  /** The repository cannot be read. */
  source_unavailable: 'failed',
  /** The repository does not have the branch of the job, or the branch not its folder. */
  unknown_branch: 'failed',
  unknown_folder: 'failed',
  push_refused: 'failed',
  /** The job was taken up too often. */
  interrupted: 'failed',
  internal: 'failed',
} as const satisfies Record<string, 'completed' | 'failed'>

export type RunEnd = keyof typeof runEnds
export type FailedEnd = Exclude<RunEnd, 'changed' | 'no_change'>

/** Ends a run. Its message is one sentence for the reader of the job, without paths of the server and without secrets. */
export class RunError extends Error {
  readonly code: FailedEnd
  constructor(code: FailedEnd, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
