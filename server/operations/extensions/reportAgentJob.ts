import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { type AgentJob, type AgentReport, applyReport } from '../../agent/agent-job.ts'
import { credentialsRule, hasCredentials, toHttpUrl } from '../../agent/agent-job-fields.ts'
import type { Client } from '../client.ts'
import { toAgentJobBody } from '../getAgentJob.ts'
import { unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

type Reported = Output<'reportAgentJob'>
type Body = Input<'reportAgentJob'>['body']

/** Another process may change the job between two steps: then the report is applied to what it is now. */
const maxAttempts = 5

export async function reportAgentJob(
  { params, body }: Input<'reportAgentJob'>,
  deps: Pick<ExtensionDeps, 'projects' | 'agentJobs' | 'now'>,
  client: Client,
): Promise<Reported> {
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const report = readReport(body, deps.now())
  if ('field' in report) return refuse(report)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const job = await deps.agentJobs.find(project.id, params.id)
    if (!job) {
      const made = createJob({ projectId: project.id, id: params.id }, body, report)
      if ('field' in made) return refuse(made)
      if (await deps.agentJobs.insert(made)) return { status: 201, body: toAgentJobBody(made) }
      continue
    }
    const next = applyReport(job, report)
    if (next === 'unchanged') return { status: 200, body: toAgentJobBody(job) }
    if (next === 'conflict') return contradict(job, report)
    if (await deps.agentJobs.update(next, job.status)) return { status: 200, body: toAgentJobBody(next) }
  }
  throw new Error(`The job ${params.id} changed ${maxAttempts} times while it was reported.`)
}

interface ReportFault {
  field: string
  message: string
  code: 'missing' | 'wrong_format'
}

function readReport({ status, prLink, occurredAt }: Body, now: number): AgentReport | ReportFault {
  const at = occurredAt === undefined ? now : Date.parse(occurredAt)
  if (!(at >= 0)) return wrong('occurredAt', 'is not a valid date and time. Example: 2026-11-20T10:00:00Z')
  if (prLink === undefined) return { status, prLink: null, occurredAt: at }
  if (status !== 'completed') return wrong('prLink', `does not apply to ${status}. Report it with completed.`)
  const url = readUrl('prLink', prLink, 'https://github.com/acme/docs/pull/42')
  return typeof url === 'string' ? { status, prLink: url, occurredAt: at } : url
}

/** Makes a job from its first report. */
function createJob(
  key: Pick<AgentJob, 'projectId' | 'id'>,
  { source, model }: Body,
  { status, prLink, occurredAt }: AgentReport,
): AgentJob | ReportFault {
  if (!source) return missing('source', '{"repository":"https://github.com/acme/docs","ref":"main"}')
  if (model === undefined) return missing('model', 'writer-2')
  for (const [field, text] of [
    ['source.ref', source.ref ?? ''],
    ['model', model],
  ] as const) {
    if (text.includes('\0') || !text.isWellFormed())
      return wrong(field, 'has characters that cannot be stored. Remove them.')
  }
  const repository = readUrl('source.repository', source.repository, 'https://github.com/acme/docs')
  if (typeof repository !== 'string') return repository
  return {
    ...key,
    status,
    source: { repository, ref: source.ref ?? null },
    model,
    prLink,
    createdAt: occurredAt,
    archivedAt: null,
  }
}

function readUrl(field: string, text: string, example: string): string | ReportFault {
  if (hasCredentials(text)) return wrong(field, credentialsRule)
  return toHttpUrl(text) ?? wrong(field, `is not a URL with http or https. Example: ${example}`)
}

function missing(field: string, example: string): ReportFault {
  const message = `${field} is missing. The first report of a job needs source and model. Example: ${example}`
  return { field, message, code: 'missing' }
}

function wrong(field: string, problem: string): ReportFault {
  return { field, message: `${field} ${problem}`, code: 'wrong_format' }
}

function refuse(fault: ReportFault): Reported {
  return { status: 400, body: { error: fault.message, details: [fault], code: 'invalid_request' } }
}

function contradict(job: AgentJob, { status }: AgentReport): Reported {
  const error =
    job.status === status
      ? `The job is ${status} with another pull request. Report a new job with another id.`
      : `The job is ${job.status} and cannot become ${status}. Report a new job with another id.`
  return { status: 409, body: { error, code: 'illegal_transition' } }
}
