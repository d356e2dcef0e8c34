import type { AgentEventKind } from '../../agent/agent-event.ts'
import type { RunEnd } from '../../agent/run-end.ts'
import { showNumber, showNumberOf } from './numbers.ts'

/** Texts of the form that starts a job on which an agent of this server works. */
export const agentStartTexts = {
  title: 'Start a job',
  intro: (repository: string, branch: string) =>
    `An agent of this server works on the branch ${branch} of ${repository}. Its change becomes a branch or a pull request, which a person merges.`,
  prompt: 'Instruction',
  promptHint: 'What the agent should do, in plain words, such as: Fix the spelling in docs/install.md.',
  demoHint:
    'The demo agent follows fixed patterns and uses no model. It understands: replace "X" with "Y", and: add a section "TITLE" to FILE. It writes down anything else as a note on a page.',
  more: 'Branch, folder and draft',
  branch: 'Branch',
  branchHint: (usual: string) => `The branch that the change is for. If it is empty: ${usual}.`,
  folder: 'Folder',
  folderHint: (folders: readonly string[]) =>
    folders.length === 0
      ? 'The agent sees and changes only this folder. If it is empty: the whole repository.'
      : `The agent sees and changes only this folder, which is one of these or within one: ${folders.join(', ')}. If it is empty: all of them.`,
  draft: 'Pull request',
  draftLabel: 'as a draft',
  start: 'Start the job',
  notStarted: 'No job was started.',
  promptMissing: 'Write what the agent should do.',
  promptTooLong: (most: number, is: number) =>
    `The instruction has ${showNumber(is)} characters. It may have ${showNumber(most)}.`,
  noAgent: 'This server runs no agent. Start it with --agent to start jobs here.',
  noAgentHere: (problem: string) => `No agent can be started on this server. ${problem}`,
  noSource: 'To start jobs here, an operator of this server sets the repository of this project:',
  sourceCommand: (projectId: string) =>
    `npx quire agent-jobs repository set https://git.example.com/acme/docs.git --project ${projectId}`,
  copy: 'Copy',
  copyCommand: 'Copy the command that sets the repository',
}

/** Texts of a job on which an agent of this server works. */
export const agentRunTexts = {
  stateNow: {
    queued: 'The job waits for an agent.',
    running: 'The agent is at work.',
    cancelling: 'The job is being cancelled, which takes a few seconds.',
  },
  /** Followed by the sentence that the run ended with. */
  published: 'The change is ready for review.',
  endsLink: 'How a job ends',
  ends: {
    changed: 'change ready for review',
    no_change: 'nothing changed',
    cancelled: 'cancelled',
    time_limit: 'the time was up',
    resource_limit: 'a limit was reached',
    change_limit: 'too much changed',
    change_refused: 'change refused',
    agent_crashed: 'the agent crashed',
    agent_unusable: 'the agent cannot run',
    agent_refused: 'the agent declined',
    model_refused: 'the model refused',
    check_failed: 'the check failed',
    source_unavailable: 'repository unavailable',
    unknown_branch: 'unknown branch',
    unknown_folder: 'unknown folder',
    push_refused: 'push refused',
    interrupted: 'interrupted too often',
    internal: 'server error',
  } satisfies Record<RunEnd, string>,
  facts: {
    prompt: 'Instruction',
    turn: 'Instructions so far',
    changeBranch: 'Branch with the change',
    commit: 'Last commit',
    branch: 'Made for the branch',
    folder: 'Only the folder',
    draft: 'Draft',
    change: 'Change',
    calls: 'Requests to the model',
    tokens: 'Tokens',
    cost: 'Cost',
    queued: 'Last instruction',
    duration: 'Duration',
    waited: 'Waited',
  },
  yes: 'yes',
  lines: (files: number, added: number, removed: number) =>
    `${showNumberOf(files, 'file')}, +${showNumber(added)} and -${showNumber(removed)} lines`,
  tokens: (input: number | null, output: number | null) =>
    input === null && output === null
      ? 'the agent did not say'
      : `${showNumber(input ?? 0)} in, ${showNumber(output ?? 0)} out, as the agent says`,
  cost: (amount: number, currency: string) => `${amount.toFixed(amount < 1 ? 4 : 2)} ${currency}, as the agent says`,
  unknownCost: 'the agent did not say',

  logTitle: 'Log',
  logOrder: 'The newest event is first.',
  logPart: (from: number, to: number, all: number) => `Events ${from} to ${to} of ${all}.`,
  noEvents: 'Nothing has happened yet.',
  expired: (last: number) =>
    `Events up to number ${showNumber(last)} were deleted because of their age, except instructions and ends.`,
  olderEvents: 'Older events',
  newestEvents: 'Newest events',
  wholeEvent: 'Show all of this event',
  kinds: {
    state: 'Quire',
    prompt: 'Instruction',
    message: 'Agent',
    thought: 'Thought',
    tool: 'Tool',
    plan: 'Plan',
    permission: 'Permission',
    check: 'Check',
    end: 'End',
  } satisfies Record<AgentEventKind, string>,

  changeTitle: 'Change',
  /** Followed by the command that shows it. */
  changeExpired:
    'Quire deleted its copy of this change because of its age. To see it while its branch exists, in a clone of the repository:',
  fileStatus: { added: 'new file', changed: 'changed', removed: 'removed' },
  fileName: (status: string, added: number, removed: number) => `${status}, +${added} -${removed}`,
  moreFiles: (count: number) => `${showNumberOf(count, 'more file')} changed.`,
  cutHere: (lines: number) =>
    `This page shows only the first ${showNumber(lines)} lines of the diff. All of it, in a clone of the repository:`,
  cutBefore: 'Quire kept only the beginning of this diff, because it is very long. All of it, in a clone:',
  cutLine: ' (line cut)',
  diffCommand: (branch: string, changeBranch: string) =>
    `git fetch origin ${changeBranch} && git diff origin/${branch}...FETCH_HEAD`,

  cancel: 'Cancel the job',
  confirmCancel: 'Cancel this job? Nothing of it is published unless that has already begun.',
  messageTitle: 'Go on with a message',
  messageHint:
    'The agent goes on from its change if the repository still has it, and otherwise begins again. It remembers only the instructions of this job.',
  retryTitle: 'Try again',
  message: 'Message to the agent',
  send: 'Send the message',
  retry: 'Try again with this instruction',
  notSent: 'The message was not sent.',
}
