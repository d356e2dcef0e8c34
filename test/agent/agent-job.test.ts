import { expect, test } from 'vitest'
import { type AgentJob, type AgentJobStatus, transition } from '../../server/agent/agent-job.ts'
import { OperatorError } from '../../server/base/operator-error.ts'

const statuses: AgentJobStatus[] = ['active', 'completed', 'archived', 'failed']
const legal = ['active>completed', 'active>failed', 'completed>archived', 'failed>archived']
const now = Date.UTC(2026, 10, 20)

function job(status: AgentJobStatus): AgentJob {
  return {
    projectId: 'prj_1',
    id: 'aj_1',
    status,
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: status === 'active' ? null : 'https://git.example.com/acme/docs/pull/7',
    createdAt: 0,
    archivedAt: status === 'archived' ? 1 : null,
  }
}

test.each(statuses.flatMap(from => statuses.map(to => ({ from, to }))))('$from -> $to', ({ from, to }) => {
  if (legal.includes(`${from}>${to}`)) expect(transition(job(from), to, now).status).toBe(to)
  else expect(() => transition(job(from), to, now)).toThrow(OperatorError)
})

test('completing sets the pull request, and archiving keeps it', () => {
  const completed = transition(job('active'), 'completed', now, 'https://git.example.com/acme/docs/pull/8')
  expect(completed).toMatchObject({ prLink: 'https://git.example.com/acme/docs/pull/8', archivedAt: null })
  expect(transition(completed, 'archived', now)).toMatchObject({ prLink: completed.prLink, archivedAt: now })
})

test('a job that changed no file completes without a pull request', () => {
  expect(transition(job('active'), 'completed', now).prLink).toBeNull()
})

test('a failed job has no pull request', () => {
  expect(transition(job('active'), 'failed', now, 'https://git.example.com/acme/docs/pull/8').prLink).toBeNull()
})
