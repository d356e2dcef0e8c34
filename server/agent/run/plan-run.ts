import { OperatorError } from '../../base/operator-error.ts'
import type { AgentJob } from '../agent-job.ts'
import type { AgentJobLimits, NewAgentRun } from '../agent-run.ts'
import type { AgentSource } from '../agent-source.ts'
import { checkBranch, checkFolder } from '../change/source-names.ts'

/** What a server offers to those who start agents. */
export interface AgentOffer {
  /** Shown on jobs until a runner takes them; then that of its agent. */
  model: string
  limits: AgentJobLimits
  /** Instructions of a project in an hour. */
  perHour: number
  /** An instruction to try; undefined = none. */
  suggestion?: string | undefined
}

/** An instruction, as clients send it. */
export interface Instruction {
  prompt: string
  branch?: string | undefined
  folder?: string | undefined
  draft?: boolean | undefined
}

/** Says why a field of an instruction cannot be worked on, with the name of the field first. */
export class InstructionError extends OperatorError {
  readonly field: 'branch' | 'folder'
  constructor(field: 'branch' | 'folder', problem: string) {
    super(`${field}: ${problem}`, 2)
    this.field = field
  }
}

/**
 * Plans a job on the repository of a project.
 *
 * @throws {InstructionError} if the branch or the folder cannot be worked on
 */
export function planRun(
  source: AgentSource,
  { prompt, branch, folder, draft }: Instruction,
  { id, model, now }: { id: string; model: string; now: number },
): { job: AgentJob; run: NewAgentRun } {
  const run: NewAgentRun = {
    prompt,
    branch: branch === undefined ? source.branch : check('branch', () => checkBranch(branch)),
    folder: folder === undefined ? null : findAllowed(source, folder),
    isDraft: draft ?? source.isDraft,
  }
  const job: AgentJob = {
    ...{ projectId: source.projectId, id, status: 'active', model, prLink: null, createdAt: now, archivedAt: null },
    source: { repository: source.page, ref: run.branch },
  }
  return { job, run }
}

function findAllowed({ folders }: AgentSource, given: string): string {
  const folder = check('folder', () => checkFolder(given))
  const isAllowed = folders.length === 0 || folders.some(each => folder === each || folder.startsWith(`${each}/`))
  if (isAllowed) return folder
  throw new InstructionError(
    'folder',
    `${folder} is not within the folders that agents may change: ${folders.join(', ')}.`,
  )
}

function check(field: 'branch' | 'folder', run: () => string): string {
  try {
    return run()
  } catch (error) {
    throw error instanceof OperatorError ? new InstructionError(field, error.message) : error
  }
}
