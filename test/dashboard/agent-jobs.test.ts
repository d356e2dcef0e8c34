import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { agentJobPage } from '../../server/dashboard/pages/agent-job.ts'
import { agentJobsPage } from '../../server/dashboard/pages/agent-jobs.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let own: Awaited<ReturnType<typeof addOrganization>>
let other: Awaited<ReturnType<typeof addOrganization>>
let created: number

beforeEach(async () => {
  pages = await openPageVisits()
  own = await addOrganization(pages.store)
  other = await addOrganization(pages.store)
  created = Date.UTC(2026, 10, 20)
})
afterEach(() => pages.dispose())

async function add(fields: Partial<AgentJob> = {}): Promise<AgentJob> {
  created += 1000
  const job: AgentJob = {
    projectId: own.projectId,
    id: `aj_${created}`,
    status: 'active',
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: null,
    createdAt: created,
    archivedAt: null,
    ...fields,
  }
  await pages.store.agentJobs.insert(job)
  return job
}

const showList = (query = '', organizationId = own.organizationId) =>
  pages.read(agentJobsPage, { organizationId, query })
const optionsOf = ({ projectId, id }: AgentJob, organizationId = own.organizationId) => ({
  organizationId,
  params: { projectId, id },
})
const showJob = (job: AgentJob) => pages.read(agentJobPage, optionsOf(job))
const archive = (job: AgentJob) => pages.visit(agentJobPage, { ...optionsOf(job), action: 'archive' })

describe('the list', () => {
  test('shows the jobs of the project, newest first, and renews itself', async () => {
    const old = await add({ status: 'failed' })
    const young = await add({ source: { repository: 'https://git.example.com/b', ref: null }, model: 'writer-3' })
    const { text } = await showList()
    expect(text.indexOf(young.id)).toBeLessThan(text.indexOf(old.id))
    for (const shown of ['https://git.example.com/b', 'default branch', 'writer-3', 'main'])
      expect(text).toContain(shown)
    expect(text).toContain('<span class="state failed">failed</span>')
    expect(text).toContain('id="agent-jobs" data-live="5000"')
    expect(text).toContain(`href="agent-jobs/${own.projectId}/${young.id}"`)
  })

  test('has the jobs of a status', async () => {
    const active = await add()
    const failed = await add({ status: 'failed' })
    const { text } = await showList('status=failed')
    expect(text).toContain(failed.id)
    expect(text).not.toContain(active.id)
    expect(text).toContain('<option value="failed" selected>')
    expect((await showList('status=archived')).text).toContain('This project has no job with this status.')
    expect((await showList('status=nonsense')).text).toContain(active.id)
  })

  test('offers projects if there are several', async () => {
    await add()
    expect((await showList()).text).not.toContain('name="project"')
    const second = { id: 'prj_second', organizationId: own.organizationId, name: 'Second' }
    await pages.store.projects.insert({ ...second, visitorSaltRotation: 'never', visitorRules: 2, createdAt: created })
    const job = await add({ projectId: second.id })
    const { text } = await showList(`project=${second.id}`)
    expect(text).toContain('<option value="prj_second" selected>Second</option>')
    expect(text.match(/<tr>/g)).toHaveLength(2)
    expect(text).toContain(job.id)
  })

  test('is in pages of 50', async () => {
    for (let i = 0; i < 51; i += 1) await add({ status: 'failed' })
    const first = await showList('status=failed')
    expect(first.text.match(/<tr>/g)).toHaveLength(51)
    expect(first.text).toContain(`?project=${own.projectId}&amp;status=failed&amp;from=50">Older jobs`)
    expect((await showList('from=50')).text.match(/<tr>/g)).toHaveLength(2)
    expect((await showList('from=999999999')).text.match(/<tr>/g)).toHaveLength(2)
  })

  test('says how jobs come in while there is none, and that a project is needed', async () => {
    expect((await showList()).text).toContain(`npx quire agent-jobs create --project ${own.projectId} --repository`)
    await pages.store.organizations.insert({ id: 'org_new', name: 'New', plan: 'standard', createdAt: 0 })
    expect((await showList('', 'org_new')).text).toContain('npx quire projects create &quot;Docs&quot; --org org_new')
  })
})

describe('the page of a job', () => {
  test('shows what an active job works on, and renews itself', async () => {
    const { text } = await showJob(await add())
    expect(text).toContain('<p role="status"><span id="agent-job-state" data-live="5000">')
    expect(text).toContain('id="agent-job" data-live="5000"')
    expect(text).toContain('href="https://git.example.com/acme/docs" rel="noreferrer"')
    expect(text).toContain('none yet (appears when the job is completed)')
    expect(text).not.toContain('/archive"')
  })

  test('links the pull request of a completed job, and archives it', async () => {
    const job = await add({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/7' })
    const { text } = await showJob(job)
    expect(text).toContain('<a href="https://git.example.com/acme/docs/pull/7" rel="noreferrer">')
    expect(text).not.toContain('data-live')
    expect(await archive(job)).toEqual({
      leadTo: `/agent-jobs/${own.projectId}/${job.id}`,
      notice: 'agent-job-archived',
    })
    const archived = await pages.store.agentJobs.find(job.projectId, job.id)
    expect(archived).toMatchObject({ status: 'archived', prLink: job.prLink })
    expect(archived?.archivedAt).toBeGreaterThan(job.createdAt)
    expect(await pages.listAudited()).toEqual([`agent-job.archived ${job.id}`])
  })

  test('says why an active job cannot be archived', async () => {
    const job = await add()
    const answer = await archive(job)
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(409)
    expect(answer.content.text).toContain('because the agent is at work')
    expect(answer.content.text).not.toContain('data-live')
    expect(await pages.store.agentJobs.find(job.projectId, job.id)).toEqual(job)
    expect(await pages.listAudited()).toEqual([])
  })

  test('says that a job was archived already, also when two tabs do it at the same time', async () => {
    const job = await add({ status: 'completed' })
    const [first, second] = await Promise.all([archive(job), archive(job)])
    const leadTo = `/agent-jobs/${own.projectId}/${job.id}`
    expect([first, second]).toContainEqual({ leadTo, notice: 'agent-job-archived' })
    expect([first, second]).toContainEqual({ leadTo, notice: 'agent-job-was-archived' })
    const archived = await pages.store.agentJobs.find(job.projectId, job.id)
    expect(await archive(job)).toEqual({ leadTo, notice: 'agent-job-was-archived' })
    expect(await pages.store.agentJobs.find(job.projectId, job.id)).toEqual(archived)
    expect(await pages.listAudited()).toEqual([`agent-job.archived ${job.id}`])
  })

  test('says so when someone else archived the job between the look at it and the change', async () => {
    const job = await add({ status: 'completed' })
    const { agentJobs } = pages.deps
    pages.deps.agentJobs = {
      ...agentJobs,
      // The command line archives the job between the look at it and the change.
      async findOwned(...wanted) {
        const found = await agentJobs.findOwned(...wanted)
        await agentJobs.update({ ...job, status: 'archived', archivedAt: job.createdAt }, 'completed')
        return found
      },
    }
    expect(await archive(job)).toMatchObject({ notice: 'agent-job-was-archived' })
    expect((await pages.store.agentJobs.find(job.projectId, job.id))?.archivedAt).toBe(job.createdAt)
    expect(await pages.listAudited()).toEqual([])
  })
})

test('another organization gets 404 for every page and form, and changes nothing', async () => {
  const job = await add({ status: 'completed' })
  const options = optionsOf(job, other.organizationId)
  await expect(pages.visit(agentJobPage, options)).rejects.toThrow(PageNotFound)
  await expect(pages.visit(agentJobPage, { ...options, action: 'archive' })).rejects.toThrow(PageNotFound)
  await expect(
    pages.visit(agentJobPage, {
      organizationId: other.organizationId,
      params: { projectId: other.projectId, id: job.id },
    }),
  ).rejects.toThrow(PageNotFound)
  await expect(showList(`project=${own.projectId}`, other.organizationId)).rejects.toThrow(PageNotFound)
  expect((await showList('', other.organizationId)).text).not.toContain(job.id)
  expect(await pages.store.agentJobs.find(job.projectId, job.id)).toEqual(job)
  expect(await pages.listAudited()).toEqual([])
})

test.each(hostileTexts)('%s stays a text in every place', async hostile => {
  const hostileJob = { id: hostile, source: { repository: hostile, ref: hostile }, model: hostile, prLink: hostile }
  const job = await add({ ...hostileJob, status: 'completed' })
  const shown = [await showList(), await showJob(job), await showList(`status=${encodeURIComponent(hostile)}`)]
  const refused = await archive(await add({ ...hostileJob, id: `${hostile} 2`, prLink: null }))
  if ('content' in refused) shown.push({ status: 409, text: refused.content.text })
  const found = shown.map(({ text }) => findInjected(text))
  expect(found.flatMap(({ faults }) => faults)).toEqual([])
  expect(found.filter(({ texts }) => texts.some(text => text.includes(hostile)))).toHaveLength(4)
})
