import type { AgentJob, AgentJobStatus } from './agent-job.ts'
import { credentialsRule, hasCredentials, isPathSafeId, pathSafeIdRule, toHttpUrl } from './agent-job-fields.ts'

/** Clocks of machines differ. */
const maxAheadMs = 24 * 60 * 60 * 1000

const statuses: readonly string[] = ['active', 'completed', 'archived', 'failed'] satisfies AgentJobStatus[]

/**
 * Reads a job from one line of an import file in the JSON format of the API.
 *
 * @param now milliseconds since 1970; a job that was created more than a day later is refused.
 * @throws {Error} with the invalid field and the expected value.
 */
export function readAgentJob(line: string, projectId: string, now: number): AgentJob {
  const job = parseObject(line)
  const source = job.source
  if (source === null || typeof source !== 'object')
    throw new Error('source must be an object with repository and ref.')
  const { repository: repositoryText, ref = null } = source as Record<string, unknown>
  const { id, status, model, prLink: prLinkText = null, createdAt, archivedAt = null } = job
  if (typeof id !== 'string' || id === '') throw new Error('id must be a string.')
  if (!isPathSafeId(id)) throw new Error(`id must ${pathSafeIdRule}, because clients put it in a path.`)
  if (typeof status !== 'string' || !statuses.includes(status))
    throw new Error(`status must be one of ${statuses.join(', ')}.`)
  const repository = readUrl('source.repository', repositoryText)
  if (repository === undefined) throw new Error('source.repository must be a full URL with http or https.')
  if (ref !== null && typeof ref !== 'string') throw new Error('source.ref must be a string or null.')
  if (typeof model !== 'string' || model === '') throw new Error('model must be a string.')
  const prLink = prLinkText === null ? null : readUrl('prLink', prLinkText)
  if (prLink === undefined) throw new Error('prLink must be a full URL with http or https, or null.')
  if (status === 'active' && prLink !== null) throw new Error('prLink must be null while the job is active.')
  if ((status === 'archived') !== (archivedAt !== null))
    throw new Error('archivedAt must be set when the job is archived, and only then.')
  return {
    projectId,
    id,
    status: status as AgentJobStatus,
    source: { repository, ref },
    model,
    prLink,
    createdAt: parseCreatedAt(createdAt, now),
    archivedAt: archivedAt === null ? null : parseInstant('archivedAt', archivedAt),
  }
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error('This is not valid JSON.')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Error('A job must be a JSON object.')
  return value as Record<string, unknown>
}

function readUrl(name: string, value: unknown): string | undefined {
  if (typeof value === 'string' && hasCredentials(value)) throw new Error(`${name} ${credentialsRule}`)
  return typeof value === 'string' ? toHttpUrl(value) : undefined
}

function parseCreatedAt(value: unknown, now: number): number {
  const createdAt = parseInstant('createdAt', value)
  if (createdAt > now + maxAheadMs)
    throw new Error(`createdAt ${value} is more than a day in the future. Correct it, or the clock of this machine.`)
  return createdAt
}

function parseInstant(name: string, value: unknown): number {
  const instant = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(instant)) throw new Error(`${name} must be an RFC 3339 time, such as 2026-11-20T10:00:00Z.`)
  return instant
}
