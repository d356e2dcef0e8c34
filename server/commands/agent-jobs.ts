import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { type AgentJob, type AgentJobStatus, transition } from '../agent/agent-job.ts'
import { credentialsRule, hasCredentials, isPathSafeId, pathSafeIdRule, toHttpUrl } from '../agent/agent-job-fields.ts'
import { readAgentJob } from '../agent/agent-job-file.ts'
import { importAgentJobs } from '../agent/import-agent-jobs.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { storeSettings } from '../flags/shared-settings.ts'
import { refuseUnstorable } from '../store/agent-jobs.ts'
import { recordChange } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { getProject } from '../tenancy/get-project.ts'
import { createId } from '../tenancy/id.ts'
import type { Project } from '../tenancy/project.ts'
import { agentRepositoryCommand } from './agent-jobs-repository.ts'
import { agentRunCommands } from './agent-jobs-run.ts'
import { printResult, printRows } from './print.ts'
import { withExistingStore } from './with-store.ts'

const jobSettings = {
  project: { flag: '--project <id-or-name>', what: 'project the job belongs to (default: the only one)' },
  ...storeSettings,
} as const satisfies Settings

const { project, ...rest } = jobSettings
const createSettings = {
  project,
  repository: { flag: '--repository <url>', what: 'full URL of the repository', mandatory: true },
  ref: { flag: '--ref <branch>', what: 'branch the agent works on' },
  model: { flag: '--model <name>', what: 'model the agent uses', mandatory: true },
  id: { flag: '--id <id>', what: 'id of the job (default: random)' },
  ...rest,
} as const satisfies Settings

const listSettings = {
  project,
  status: {
    flag: '--status <status>',
    what: 'only jobs with this status',
    choices: ['active', 'completed', 'archived', 'failed'],
  },
  ...rest,
} as const satisfies Settings

type JobFlags = FlagsOf<typeof jobSettings>

const steps: readonly { verb: string; to: AgentJobStatus; description: string }[] = [
  { verb: 'complete', to: 'completed', description: 'mark an active job as completed' },
  { verb: 'fail', to: 'failed', description: 'mark an active job as failed' },
  { verb: 'archive', to: 'archived', description: 'archive a completed or failed job' },
]

const help = `
Examples:
  npx quire agent-jobs run 'Fix the spelling in docs/install.md.' --project Documentation
  npx quire agent-jobs create --project Documentation --id aj_example --repository https://git.example.com/acme/docs --ref main --model writer-2
  npx quire agent-jobs complete aj_example --project Documentation --pr-link https://git.example.com/acme/docs/pull/8
  npx quire agent-jobs archive aj_example --project Documentation
  npx quire agent-jobs fail aj_demo_active --project Documentation
  npx quire agent-jobs list --project Documentation --status failed --json
  echo '{"id": "aj_old", "status": "failed", "source": {"repository": "https://git.example.com/acme/docs"}, "model": "writer-1", "createdAt": "2026-11-20T10:00:00Z"}' | npx quire agent-jobs import - --project Documentation

run prints the id of its job. With it, show ID and logs ID tell what happened, show ID --diff prints the change, message ID
INSTRUCTION lets the agent go on, and cancel ID ends it.
A job goes from active to completed or failed, and then to archived.
import reads one job per line, as JSON in the format of the API; "-" reads standard input. If a line is invalid, nothing is
imported. After an interruption, run it again: jobs that exist already stay unchanged.`

export function agentJobsCommand(): Command {
  const jobs = new Command('agent-jobs')
    .description('jobs of writing agents: those that agents of the server work on, and those that other systems report')
    .addHelpText('after', help)
  addSettings(jobs.command('create').description('create an active job'), createSettings).action(createJob)
  for (const { verb, to, description } of steps) {
    const command = addSettings(jobs.command(`${verb} <id>`).description(description), jobSettings)
    if (verb === 'complete') command.option('--pr-link <url>', 'pull request of the job, if files changed')
    command.action((id: string, flags: JobFlags & { prLink?: string }) => step(id, to, flags))
  }
  addSettings(jobs.command('list').description('list the jobs of a project, newest first'), listSettings).action(
    listJobs,
  )
  const importCommand = jobs
    .command('import <file>')
    .description('import jobs from JSON lines; existing jobs stay unchanged')
  addSettings(importCommand, jobSettings).action(importJobs)
  for (const command of [...agentRunCommands(), agentRepositoryCommand()]) jobs.addCommand(command)
  return jobs
}

async function createJob(flags: FlagsOf<typeof createSettings>): Promise<void> {
  refuseCredentials('--repository', flags.repository)
  const repository = toHttpUrl(flags.repository)
  if (repository === undefined) {
    throw new OperatorError('--repository must be an http(s) URL, such as https://git.example.com/acme/docs', 2)
  }
  if (flags.id !== undefined && !isPathSafeId(flags.id)) throw new OperatorError(`--id must ${pathSafeIdRule}.`, 2)
  const job = await withProject(flags, async (store, { id: projectId }) => {
    const job: AgentJob = {
      projectId,
      id: flags.id ?? createId('aj'),
      status: 'active',
      source: { repository, ref: flags.ref ?? null },
      model: flags.model,
      prLink: null,
      createdAt: Date.now(),
      archivedAt: null,
    }
    if (!(await store.agentJobs.insert(job))) throw new OperatorError(`The project already has a job ${job.id}.`)
    return job
  })
  printResult(flags.json, job, job.id)
}

function refuseCredentials(flag: string, url: string | undefined): void {
  if (url !== undefined && hasCredentials(url)) throw new OperatorError(`${flag} ${credentialsRule}`, 2)
}

async function listJobs(flags: FlagsOf<typeof listSettings>): Promise<void> {
  const rows = await withProject(flags, (store, { id }) => store.agentJobs.list(id, flags.status))
  printRows(rows, { json: flags.json, empty: 'No jobs found.', toRow })
}

async function step(id: string, to: AgentJobStatus, flags: JobFlags & { prLink?: string }): Promise<void> {
  refuseCredentials('--pr-link', flags.prLink)
  const prLink = flags.prLink === undefined ? null : toHttpUrl(flags.prLink)
  if (prLink === undefined) {
    throw new OperatorError('--pr-link must be an http(s) URL, such as https://git.example.com/acme/docs/pull/7', 2)
  }
  const next = await withProject(flags, async (store, { id: projectId, organizationId }) => {
    const job = await store.agentJobs.find(projectId, id)
    if (!job)
      throw new OperatorError(`The project has no job ${id}. See: npx quire agent-jobs list --project ${projectId}`)
    const next = transition(job, to, Date.now(), prLink)
    const event = { action: 'agent-job.archived', subject: id, organizationId, detail: projectId } as const
    if (
      !(await (to === 'archived'
        ? recordChange(store, event, nouns => nouns.agentJobs.update(next, job.status))
        : store.agentJobs.update(next, job.status)))
    ) {
      throw new OperatorError(`Job ${id} was changed by another process at the same time. Check it and try again.`)
    }
    return next
  })
  printResult(flags.json, next, `${id} is ${to}.`)
}

async function importJobs(file: string, flags: JobFlags): Promise<void> {
  const result = await withProject(flags, async (store, { id: projectId }) => {
    const jobs = await readJobs(file, projectId)
    const imported = await importAgentJobs(store.agentJobs, jobs)
    return { imported, alreadyThere: jobs.length - imported }
  })
  printResult(flags.json, result, `${result.imported} jobs imported, ${result.alreadyThere} existed already.`)
}

/** Reads all jobs, or none: the error gives the number of the bad line. */
async function readJobs(file: string, projectId: string): Promise<AgentJob[]> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  const jobs: AgentJob[] = []
  const now = Date.now()
  let lineNumber = 0
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      lineNumber++
      if (line.trim() === '') continue
      const job = readAgentJob(line, projectId, now)
      refuseUnstorable(job)
      jobs.push(job)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new OperatorError(`${file} does not exist. Nothing was imported.`)
    if (code === 'EACCES') throw new OperatorError(`${file}: permission denied. Give this user read access.`)
    throw new OperatorError(
      `${file}${lineNumber > 0 ? `, line ${lineNumber}` : ''}: ${(error as Error).message} Nothing was imported.`,
    )
  }
  return jobs
}

function withProject<T>(flags: JobFlags, work: (store: Store, project: Project) => Promise<T> | T): Promise<T> {
  return withExistingStore(flags, async store => work(store, await getProject(store, flags.project)))
}

function toRow({ id, status, prLink, createdAt }: AgentJob): object {
  return { id, status, createdAt, link: prLink }
}
