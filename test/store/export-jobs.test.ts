import { expect, test } from 'vitest'
import type { ExportJob, ExportJobs, ExportRequest } from '../../server/export/jobs/export-job.ts'
import { shareTests } from './stores.ts'

const now = Date.UTC(2026, 10, 20)
const lease = 10_000

function job(jobId: string, request: Partial<ExportRequest> = {}, createdAt = now): ExportJob {
  return {
    jobId,
    organizationId: 'org_1',
    request: {
      domain: 'docs.example.com',
      version: null,
      paths: null,
      deployment: 'air-gapped',
      features: { search: false, assistant: false, analytics: false, playground: false },
      offlineSearch: false,
      verify: null,
      format: 'zip',
      ...request,
    },
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    createdAt,
    updatedAt: createdAt,
    bundle: null,
  }
}
const bundle = { fileName: 'se_1.zip', sizeBytes: 7, sha256: 'a'.repeat(64) }

let jobs: ExportJobs
const stores = shareTests(async ({ store }) => {
  jobs = store.exportJobs
  const { organizations } = store
  await organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt: now })
  await organizations.insert({ id: 'org_2', name: 'Other', plan: 'enterprise', createdAt: now })
})

async function claim(at = now, owner = 'a') {
  const claimed = await jobs.claim(owner, at, lease)
  if (!claimed) throw new Error('nothing to claim')
  return claimed
}

stores.describe('starts', () => {
  test('a job is read as it was started', async () => {
    await jobs.start(job('se_1', { paths: ['/a'], version: '1.0' }), undefined, 0)
    expect(await jobs.find('se_1')).toEqual(job('se_1', { paths: ['/a'], version: '1.0' }))
    expect(await jobs.findOwned('org_2', 'se_1')).toBeUndefined()
  })

  test('the same idempotency key and request give the same job, another request a conflict', async () => {
    await jobs.start(job('se_1'), 'key', now - 1)
    expect(await jobs.start(job('se_2'), 'key', now - 1)).toMatchObject({ job: { jobId: 'se_1' } })
    expect(await jobs.start(job('se_3', { format: 'tar.gz' }), 'key', now - 1)).toBe('conflict')
    expect(await jobs.find('se_2')).toBeUndefined()
    expect(await jobs.find('se_3')).toBeUndefined()
  })

  test('the order of fields does not matter', async () => {
    await jobs.start(job('se_1'), 'key', 0)
    const { request } = job('se_2')
    const reversed = Object.fromEntries(Object.entries(request).reverse()) as unknown as ExportRequest
    expect(await jobs.start(job('se_2', reversed), 'key', 0)).toMatchObject({ job: { jobId: 'se_1' } })
  })

  test('an idempotency key is deleted after its window, and belongs to one organization', async () => {
    await jobs.start(job('se_1'), 'key', 0)
    expect(await jobs.start({ ...job('se_2'), organizationId: 'org_2' }, 'key', 0)).toMatchObject({
      job: { jobId: 'se_2' },
    })
    expect(await jobs.start(job('se_3', {}, now + 1000), 'key', now + 1)).toMatchObject({ job: { jobId: 'se_3' } })
  })
})

stores.describe('leases', () => {
  test('jobs are claimed oldest first, each once', async () => {
    await jobs.start(job('se_2', {}, now + 1), undefined, 0)
    await jobs.start(job('se_1', {}, now), undefined, 0)
    expect((await claim()).job).toMatchObject({ jobId: 'se_1', status: 'running' })
    expect((await claim()).job).toMatchObject({ jobId: 'se_2', status: 'running' })
    expect(await jobs.claim('a', now, lease)).toBeUndefined()
  })

  test('a job with an expired lease goes to another runner, and the first runner cannot write any more', async () => {
    await jobs.start(job('se_1'), undefined, 0)
    const first = await claim()
    expect(await jobs.heartbeat(first.lease, now + 5_000, lease)).toBe(true)
    expect(await jobs.claim('b', now + 14_999, lease)).toBeUndefined()
    const second = await claim(now + 15_000, 'b')
    expect(second).toMatchObject({ interruptions: 1, job: { status: 'running' } })
    expect(await jobs.heartbeat(first.lease, now, lease)).toBe(false)
    expect(await jobs.report(first.lease, 50, 5, now)).toBe(false)
    expect(await jobs.complete(first.lease, bundle, 5, now)).toBe(false)
    expect(await jobs.fail(first.lease, 'x', now)).toBe(false)
    expect(await jobs.release(first.lease)).toBe(false)
    expect(await jobs.complete(second.lease, bundle, 5, now)).toBe(true)
    expect(await jobs.find('se_1')).toMatchObject({ status: 'completed', progress: 100, pageCount: 5, bundle })
  })

  test('progress and page count never fall, even if the work starts again', async () => {
    await jobs.start(job('se_1'), undefined, 0)
    const first = await claim()
    await jobs.report(first.lease, 60, 6, now + 1)
    const second = await claim(now + lease)
    await jobs.report(second.lease, 10, 1, now + 2)
    expect(await jobs.find('se_1')).toMatchObject({ status: 'running', progress: 60, pageCount: 6 })
  })

  test('a released job is claimed at once, and does not count as interrupted', async () => {
    await jobs.start(job('se_1'), undefined, 0)
    const first = await claim()
    expect(await jobs.release(first.lease)).toBe(true)
    expect(await jobs.find('se_1')).toMatchObject({ status: 'running' })
    expect(await claim(now + 1)).toMatchObject({ interruptions: 0, job: { jobId: 'se_1' } })
  })

  test('a job that has ended does not change', async () => {
    await jobs.start(job('se_1'), undefined, 0)
    const { lease: held } = await claim()
    expect(await jobs.fail(held, 'The site does not answer.', now)).toBe(true)
    expect(await jobs.complete(held, bundle, 1, now)).toBe(false)
    expect(await jobs.report(held, 99, 9, now)).toBe(false)
    expect(await jobs.claim('a', now + 10 * lease, lease)).toBeUndefined()
    expect(await jobs.find('se_1')).toMatchObject({
      status: 'failed',
      error: 'The site does not answer.',
      bundle: null,
    })
  })

  test.each([
    ['an hour', 3_600_000],
    ['a day', 86_400_000],
  ])('after the clock was set back by %s, a job waits one lease for its runner', async (_, backMs) => {
    await jobs.start(job('se_1'), undefined, 0)
    await claim(now + backMs - lease)
    expect(await jobs.claim('b', now, lease)).toBeUndefined()
    expect(await jobs.claim('b', now + lease - 1, lease)).toBeUndefined()
    expect(await jobs.claim('b', now + lease, lease)).toMatchObject({ job: { jobId: 'se_1' } })
  })
})

async function complete(jobId: string, at = now): Promise<void> {
  await jobs.start(job(jobId, {}, at), `key of ${jobId}`, 0)
  const { lease } = await claim(at)
  expect(await jobs.complete(lease, { ...bundle, fileName: `${jobId}.zip` }, 1, at)).toBe(true)
}

stores.describe('ended jobs', () => {
  test('deleting a job that has ended deletes its idempotency key and returns its bundle', async () => {
    await complete('se_1')
    expect(await jobs.delete('se_1', now, false)).toEqual({ fileName: 'se_1.zip' })
    expect(await jobs.find('se_1')).toBeUndefined()
    expect(await jobs.delete('se_1', now, false)).toBe('unknown')
    expect(await jobs.start(job('se_2'), 'key of se_1', 0)).toMatchObject({ job: { jobId: 'se_2' } })
  })

  test('a job that has not ended is not deleted', async () => {
    await jobs.start(job('se_1'), undefined, 0)
    expect(await jobs.delete('se_1', now, true)).toBe('open')
    await claim()
    expect(await jobs.delete('se_1', now, true)).toBe('open')
  })

  test('a job is kept until its last link has expired', async () => {
    await complete('se_1')
    expect(await jobs.noteLink('se_1', now + 2000)).toBe(true)
    expect(await jobs.noteLink('se_1', now + 1000)).toBe(true)
    expect(await jobs.findEnded(now + 10_000, now + 2000)).toEqual([])
    expect(await jobs.delete('se_1', now + 2000, false)).toBe('linked')
    expect(await jobs.findEnded(now + 10_000, now + 2001)).toEqual(['se_1'])
    expect(await jobs.delete('se_1', now + 2001, false)).toEqual({ fileName: 'se_1.zip' })
    expect(await jobs.noteLink('se_1', now + 9000)).toBe(false)
  })

  test('ended jobs are found by age, failed ones too, open ones never', async () => {
    await complete('se_old', now - 5000)
    await jobs.start(job('se_failed', {}, now - 4000), undefined, 0)
    await jobs.fail((await claim(now - 4000)).lease, 'x', now - 4000)
    await complete('se_new', now)
    await jobs.start(job('se_open', {}, now - 9000), undefined, 0)
    expect(await jobs.findEnded(now - 1000, now)).toEqual(['se_old', 'se_failed'])
  })

  test('jobs are listed newest first, of all organizations or of one', async () => {
    await jobs.start(job('se_1', {}, now), undefined, 0)
    await jobs.start({ ...job('se_2', {}, now + 1), organizationId: 'org_2' }, undefined, 0)
    expect((await jobs.list({})).map(({ jobId }) => jobId)).toEqual(['se_2', 'se_1'])
    expect((await jobs.list({ organizationId: 'org_1' })).map(({ jobId }) => jobId)).toEqual(['se_1'])
  })
})

stores.describe('the last completed export of the same pages', () => {
  const complete = async (jobId: string, request: Partial<ExportRequest>, at: number) => {
    await jobs.start(job(jobId, request, at), undefined, 0)
    await jobs.complete((await claim(at)).lease, { ...bundle, fileName: `${jobId}.zip` }, 1, at)
  }
  const find = async (paths: string[] | null, organizationId = 'org_1', domain = 'docs.example.com') =>
    (await jobs.findLastCompleted(organizationId, { domain, paths }))?.jobId

  test('an export of the whole site is found behind any number of exports of pages', async () => {
    expect(await find(null)).toBeUndefined()
    await complete('se_old', {}, now)
    await complete('se_whole', {}, now + 1)
    for (let at = 0; at < 55; at++) await complete(`se_${at}`, { paths: ['/a'] }, now + 2 + at)
    await jobs.start(job('se_open', {}, now + 100), undefined, 0)
    expect(await find(null)).toBe('se_whole')
    expect(await find(null, 'org_2')).toBeUndefined()
    expect(await find(null, 'org_1', 'other.example.com')).toBeUndefined()
  })

  test('exports of pages are told apart by their paths, also with quotes and other letters', async () => {
    const paths = ['/a"b', '/ä/日本', "/it's", '/%20']
    await complete('se_odd', { paths, version: '"paths":null' }, now)
    await complete('se_a', { paths: ['/a'] }, now + 1)
    await complete('se_ab', { paths: ['/a', '/b'] }, now + 2)
    expect(await find(paths)).toBe('se_odd')
    expect(await find(['/a'])).toBe('se_a')
    expect(await find(['/a', '/b'])).toBe('se_ab')
    expect(await find(['/b'])).toBeUndefined()
    expect(await find(null)).toBeUndefined()
  })
})
