import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { getAgentJob } from '../../server/operations/getAgentJob.ts'

const job: AgentJob = {
  projectId: 'prj_1',
  id: 'aj_1',
  status: 'archived',
  source: { repository: 'https://git.example.com/acme/docs', ref: null },
  model: 'writer-2',
  prLink: 'https://git.example.com/acme/docs/pull/7',
  createdAt: Date.UTC(2026, 10, 20, 9, 30),
  archivedAt: Date.UTC(2026, 10, 21),
}

type Args = Parameters<typeof getAgentJob>

/** Answers for an organization that owns this project and this job. */
function answer(id: string, { projectId = 'prj_1', organizationId = 'org_1', found = job } = {}) {
  const isOwned = (organization: string, project: string) => organization === 'org_1' && project === 'prj_1'
  const deps = {
    agentJobs: {
      findOwned: (organization: string, project: string, asked: string) =>
        isOwned(organization, project) && asked === found.id ? found : undefined,
    },
    projects: {
      findOwned: (organization: string, project: string) =>
        isOwned(organization, project) ? { id: project } : undefined,
    },
  } as unknown as Args[1]
  return getAgentJob({ params: { projectId, id } } as Args[0], deps, { organizationId } as Args[2])
}

test('a job is answered with the documented fields only, and its times in RFC 3339', async () => {
  expect(await answer('aj_1')).toEqual({
    status: 200,
    body: {
      id: 'aj_1',
      status: 'archived',
      source: { repository: 'https://git.example.com/acme/docs', ref: null },
      model: 'writer-2',
      prLink: 'https://git.example.com/acme/docs/pull/7',
      createdAt: '2026-11-20T09:30:00.000Z',
      archivedAt: '2026-11-21T00:00:00.000Z',
    },
  })
})

test('a job that is not archived has null in archivedAt', async () => {
  const found: AgentJob = { ...job, status: 'active', prLink: null, archivedAt: null }
  expect(await answer('aj_1', { found })).toMatchObject({ status: 200, body: { prLink: null, archivedAt: null } })
})

test.each([
  ['an unknown job of an own project', 'aj_9', {}, 'This project has no agent job'],
  ['an unknown project', 'aj_1', { projectId: 'prj_9' }, 'Invalid project id'],
  ['a project of another organization', 'aj_1', { organizationId: 'org_2' }, 'Invalid project id'],
])('%s is answered with 404', async (_, id, caller, error) => {
  expect(await answer(id, caller)).toEqual({
    status: 404,
    body: { error: expect.stringContaining(error), code: expect.stringMatching(/^unknown_/) },
  })
})
