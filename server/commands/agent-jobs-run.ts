import { Command } from 'commander'
import type { AgentEvent } from '../agent/agent-event.ts'
import { type AgentRun, maxPromptCharacters } from '../agent/agent-run.ts'
import { followRun } from '../agent/follow-run.ts'
import { planRun } from '../agent/run/plan-run.ts'
import { runEnds } from '../agent/run-end.ts'
import { escapeControlsInLines } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { getProject } from '../tenancy/get-project.ts'
import { createId } from '../tenancy/id.ts'
import type { Project } from '../tenancy/project.ts'
import { printNote, printResult, showCount, showCountOf } from './print.ts'
import { withExistingStore } from './with-store.ts'

const project = { flag: '--project <id-or-name>', what: 'project of the job (default: the only one)' } as const
const follow = { flag: '--follow', what: 'print events until the run has ended; exit code 1 if it failed' } as const
const jobSettings = { project, ...storeSettings } as const satisfies Settings
const logSettings = {
  project,
  follow: { flag: '--follow', what: 'print events until the run has ended' },
  ...storeSettings,
} as const satisfies Settings
const messageSettings = { project, follow, ...storeSettings } as const satisfies Settings
const showSettings = {
  project,
  diff: { flag: '--diff', what: 'print the change instead, as a diff', conflicts: ['json'] },
  ...storeSettings,
} as const satisfies Settings
const runSettings = {
  project,
  branch: { flag: '--branch <name>', what: 'branch that the change is for (default: that of the repository settings)' },
  folder: { flag: '--folder <path>', what: 'the only folder that the agent may change' },
  draft: { flag: '--draft', what: 'make the pull request a draft' },
  follow,
  ...storeSettings,
} as const satisfies Settings

const runHelp = `
Examples:
  npx quire agent-jobs run 'Fix the spelling in docs/install.md.'
  npx quire agent-jobs run 'Add a section about proxies.' --project Documentation --folder docs --draft`

/** Examples of a command for a job, with what follows the id in each. */
function helpOf(name: string, ...ends: string[]): string {
  return ['', 'Examples:', ...ends.map(end => `  npx quire agent-jobs ${name} aj_0f3c9a1b2d4e5f60${end}`)].join('\n')
}

const hintMs = 5000

/** Whoever has the database is not limited. */
const noLimits = { active: Number.MAX_SAFE_INTEGER, openPullRequests: Number.MAX_SAFE_INTEGER }

/** The commands for jobs that agents of this server work on. */
export function agentRunCommands(): Command[] {
  return [
    addSettings(
      new Command('run')
        .description('let an agent of the server work on the repository of a project')
        .argument('<instruction>')
        .addHelpText('after', runHelp),
      runSettings,
    ).action(runJob),
    addSettings(
      new Command('logs')
        .description('print what happened in a run')
        .argument('<id>')
        .addHelpText('after', helpOf('logs', '', ' --follow', ' --json')),
      logSettings,
    ).action(printLogs),
    addSettings(
      new Command('show')
        .description('show the last run of a job: its end, its change and what it used')
        .argument('<id>')
        .addHelpText('after', helpOf('show', '', ' --json')),
      showSettings,
    ).action(showJob),
    addSettings(
      new Command('cancel')
        .description('cancel a queued or running job')
        .argument('<id>')
        .addHelpText('after', helpOf('cancel', '')),
      jobSettings,
    ).action(cancelJob),
    addSettings(
      new Command('message')
        .description('let the agent of an ended job go on')
        .argument('<id>')
        .argument('<instruction>')
        .addHelpText('after', helpOf('message', " 'Keep the old name in a note.'")),
      messageSettings,
    ).action(sendMessage),
  ]
}

async function runJob(prompt: string, flags: FlagsOf<typeof runSettings>): Promise<void> {
  checkInstruction(prompt)
  await withProject(flags, async (store, { id: projectId, organizationId }) => {
    const source = await store.agentSources.find(projectId)
    if (!source) {
      const remedy = `npx quire agent-jobs repository set URL --project ${projectId}`
      throw new OperatorError(`The project has no repository for agents. Set it with: ${remedy}`)
    }
    const plan = planRun(source, { prompt, ...flags }, { id: createId('aj'), model: 'unknown', now: Date.now() })
    const event = { action: 'agent-job.started', subject: plan.job.id, organizationId, detail: projectId } as const
    await recordChange(store, event, function* ({ agentRuns }) {
      return (yield* agentRuns.start(plan.job, plan.run, noLimits)) === undefined
    })
    if (!flags.follow) return printResult(flags.json, plan.job, plan.job.id)
    if (!flags.json) process.stdout.write(`Job ${plan.job.id}\n`)
    process.exitCode = await followJob(store, plan.job, flags)
  })
}

function checkInstruction(prompt: string): void {
  if (prompt.trim() === '') throw new OperatorError('The instruction is empty. Say what the agent should do.', 2)
  const { length } = [...prompt]
  if (length > maxPromptCharacters) {
    const [has, may] = [length, maxPromptCharacters].map(showCount)
    throw new OperatorError(`The instruction has ${has} characters. It may have ${may}.`, 2)
  }
}

const whyNot = {
  isActive: 'is active. Wait until it has ended, or cancel it.',
  isArchived: 'is archived. Start another job.',
  notRun: 'was not run by Quire. Start another job.',
}

async function sendMessage(id: string, prompt: string, flags: FlagsOf<typeof messageSettings>): Promise<void> {
  checkInstruction(prompt)
  await withProject(flags, async (store, { id: projectId, organizationId }) => {
    const { events } = await getRun(store, projectId, id)
    const event = { action: 'agent-job.instructed', subject: id, organizationId, detail: projectId } as const
    let refused: keyof typeof whyNot | undefined
    await recordChange(store, event, function* ({ agentRuns }) {
      const answer = yield* agentRuns.instruct({ projectId, id }, { prompt, limits: noLimits, now: Date.now() })
      if (answer === 'isActive' || answer === 'isArchived' || answer === 'notRun') refused = answer
      return answer === undefined
    })
    if (refused !== undefined) throw new OperatorError(`Job ${id} ${whyNot[refused]}`)
    if (!flags.follow) return printResult(flags.json, { id }, `${id} goes on.`)
    process.exitCode = await followJob(store, { projectId, id }, flags, events)
  })
}

async function printLogs(id: string, flags: FlagsOf<typeof logSettings>): Promise<void> {
  await withProject(flags, async (store, { id: projectId }) => {
    const { expiredEvents } = await getRun(store, projectId, id)
    if (expiredEvents > 0)
      console.error(
        `Events up to number ${expiredEvents} were deleted because of their age, except instructions and ends.`,
      )
    await followJob(store, { projectId, id }, flags)
  })
}

async function showJob(id: string, flags: FlagsOf<typeof showSettings>): Promise<void> {
  await withProject(flags, async (store, { id: projectId }) => {
    const run = await getRun(store, projectId, id)
    if (!flags.diff) return printResult(flags.json, run, describeRun(run))
    const change = await store.agentRuns.findChange(projectId, id)
    if (!change) throw new OperatorError(`Job ${id} has no change, or it has expired.`)
    if (change.isDiffCut) printNote('The change is larger than the part that is kept. The branch has all of it.')
    process.stdout.write(process.stdout.isTTY ? escapeControlsInLines(change.diff) : change.diff)
  })
}

function describeRun(run: AgentRun): string {
  const { jobId, state, end, explanation, turn, prompt, files, added, removed, changeBranch, commit, usage } = run
  const { modelCalls, inputTokens, outputTokens, cost } = usage
  const used = [
    showCountOf(modelCalls, 'model call'),
    inputTokens !== null && `${showCount(inputTokens)} tokens read`,
    outputTokens !== null && `${showCount(outputTokens)} tokens written`,
    cost && `${cost.amount} ${cost.currency}`,
  ]
  return [
    `${jobId}: ${end ?? state}. ${explanation ?? ''}`.trimEnd(),
    `Instruction ${turn}: ${prompt.trim()}`,
    files > 0 &&
      `Change: ${showCountOf(files, 'file')}, +${added} and -${removed} lines, on ${changeBranch} (${commit})`,
    `Used: ${used.filter(Boolean).join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n')
}

async function cancelJob(id: string, flags: FlagsOf<typeof jobSettings>): Promise<void> {
  await withProject(flags, async (store, { id: projectId, organizationId }) => {
    await getRun(store, projectId, id)
    const event = { action: 'agent-job.cancelled', subject: id, organizationId, detail: projectId } as const
    const isCancelled = await recordChange(store, event, ({ agentRuns }) => agentRuns.cancel(projectId, id, Date.now()))
    if (!isCancelled) throw new OperatorError(`Job ${id} has already ended.`)
    printResult(flags.json, { id, isCancelled }, `${id} is cancelled. A running agent ends within 5 seconds.`)
  })
}

async function getRun(store: Store, projectId: string, id: string): Promise<AgentRun> {
  const run = await store.agentRuns.find(projectId, id)
  if (run) return run
  const remedy = `See: npx quire agent-jobs list --project ${projectId}`
  throw new OperatorError(`Quire has run no job ${id} of this project. ${remedy}`)
}

/** Prints events, until the run has ended if that is asked for. Returns the exit code. */
async function followJob(
  store: Store,
  { projectId, id }: { projectId: string; id: string },
  { follow: isFollowing, json }: { follow?: boolean | undefined; json?: boolean | undefined },
  after = 0,
): Promise<number> {
  const hint = setTimeout(() => void explainWaiting(store, projectId).then(console.error, () => {}), hintMs)
  for await (const events of followRun(store.agentRuns, { projectId, jobId: id }, after)) {
    for (const event of events) {
      if (event.kind !== 'prompt') clearTimeout(hint)
      process.stdout.write(`${json ? writeJson(id, event) : escapeControlsInLines(describe(event))}\n`)
    }
    if (events.length === 0 && !isFollowing) break
  }
  clearTimeout(hint)
  const { end, changeBranch, commit } = await getRun(store, projectId, id)
  if (!json && end === 'changed') process.stdout.write(`The change is on the branch ${changeBranch} (${commit}).\n`)
  return end === null || runEnds[end] === 'completed' ? 0 : 1
}

async function explainWaiting(store: Store, projectId: string): Promise<string> {
  const others = (await store.agentJobs.list(projectId, 'active')).length - 1
  const after = others > 0 ? `${showCountOf(others, 'other job')} of the project to end, or for ` : ''
  return `The job waits for ${after}a server with --agent. npx quire doctor and the log of the server say what it lacks to run agents.`
}

/** With the fields that the API answers, and the job. */
function writeJson(jobId: string, { at, outcome, ...event }: AgentEvent): string {
  return JSON.stringify({ jobId, ...event, outcome: outcome ?? null, at: new Date(at).toISOString() })
}

function describe({ at, kind, text, outcome }: AgentEvent): string {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const lines = text.trimEnd().replaceAll('\n', `\n${' '.repeat(time.length + 5)}`)
  return `${time} ${`${kind}${outcome === undefined ? '' : ` (${outcome})`}:`} ${lines}`
}

function withProject<T>(
  flags: FlagsOf<typeof jobSettings>,
  work: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  return withExistingStore(flags, async store => work(store, await getProject(store, flags.project)))
}
