import { expect, test } from 'vitest'
import { type MockOptions, scenarioNames } from '../../spec/package/mock/index.ts'
import { createRandom } from '../support/random.ts'
import {
  createStepMock,
  jobs,
  origin,
  pollExport,
  responses,
  type Sent,
  send,
  startInit,
  visitors,
} from './step-mock.ts'

test('an export is queued, runs with rising progress, and is completed', async () => {
  const { mock } = createStepMock()
  const started = await send(mock, jobs, startInit())
  expect(started).toMatchObject({ status: 202, body: { status: 'queued', progress: 0 } })
  expect(started.headers.location).toBe(`${jobs}/${started.body.jobId}`)
  const seen = await pollExport(mock, String(started.body.jobId), 14)
  expect([...new Set(seen.map(({ status }) => status))]).toEqual(['queued', 'running', 'completed'])
  const progress = seen.map(job => Number(job.progress))
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
  expect(new Set(progress).size).toBeGreaterThan(8)
  expect(seen.at(-1)).toMatchObject({ progress: 100, pageCount: 526, error: null })
})

test('an export of some pages counts these pages', async () => {
  const { mock } = createStepMock()
  const { body } = await send(mock, jobs, startInit({ domain: 'docs.example.com', paths: ['index', 'api'] }))
  expect((await pollExport(mock, String(body.jobId), 13)).at(-1)).toMatchObject({ pageCount: 2 })
})

test('a failing export ends with a sentence, and has no bundle', async () => {
  const { mock } = createStepMock({ scenario: 'failing-exports' })
  const { jobId } = (await send(mock, jobs, startInit())).body
  const seen = await pollExport(mock, String(jobId), 8)
  expect(seen.map(({ status }) => status)).toContain('running')
  expect(seen.at(-1)).toMatchObject({ status: 'failed', error: expect.stringMatching(/\.$/) })
  expect(Number(seen.at(-1)?.progress)).toBeLessThan(100)
  expect(await send(mock, `${jobs}/${jobId}/bundle`, { method: 'POST' })).toMatchObject({ status: 409 })
})

test('a start with an Idempotency-Key is replayed, and refused with another body', async () => {
  const { mock } = createStepMock()
  const key = { 'Idempotency-Key': 'release-1' }
  const first = await send(mock, jobs, startInit(undefined, key))
  const again = await send(mock, jobs, startInit(undefined, key))
  expect(again.body.jobId).toBe(first.body.jobId)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(await send(mock, jobs, startInit({ domain: 'docs.example.com', format: 'tar.gz' }, key))).toMatchObject({
    status: 409,
  })
})

test('agent jobs go through all their states', async () => {
  const { mock } = createStepMock({ stepSeconds: 5 })
  const watch = async (id: string) => {
    const seen: Sent['body'][] = []
    for (let i = 0; i < 12; i++) seen.push((await send(mock, `/v2/agent/prj_5b1c2d3e4f506172/job/${id}`)).body)
    return [...new Set(seen.map(({ status, prLink }) => `${status} ${prLink}`))]
  }
  const pull = 'https://github.com/acme/docs/pull/482'
  expect(await watch('aj_9c41d2e0b7a65f38')).toEqual(['active null', `completed ${pull}`, `archived ${pull}`])
  expect(await watch('aj_2f6b8d01c3e4a597')).toEqual(['active null', 'completed null', 'archived null'])
  expect(await watch('aj_d07e5a91b2c8463f')).toEqual(['active null', 'failed null', 'archived null'])
})

test('limit and offset page through all visitors, and dateTo is exclusive', async () => {
  const { mock } = createStepMock()
  const paths: unknown[] = []
  for (let offset = 0, hasMore = true; hasMore; offset += 7) {
    const { body } = await send(mock, `${visitors}?limit=7&offset=${offset}`)
    const page = body.visitors as { path: string }[]
    expect(page.length).toBeLessThanOrEqual(7)
    paths.push(...page.map(({ path }) => path))
    hasMore = Boolean(body.hasMore)
  }
  expect([paths.length, new Set(paths).size]).toEqual([120, 120])
  expect((await send(mock, `${visitors}?offset=120`)).body).toMatchObject({ visitors: [], hasMore: false })
  const empty = await send(mock, `${visitors}?dateFrom=2026-11-20&dateTo=2026-11-20`)
  expect(empty.body).toEqual({ totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false })
  const count = async (query: string) => (await send(mock, visitors + query)).body.totals as Record<string, number>
  const [all, week] = [await count(''), await count('?dateFrom=2026-11-10')]
  expect(week.total).toBeLessThan(all.total as number)
  expect(all.total).toBeLessThan((all.human as number) + (all.ai as number))
})

test('the rate limit is reached, and refills with the time', async () => {
  const { mock } = createStepMock({ scenario: 'rate-limit', stepSeconds: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await send(mock, visitors)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  const refused = await send(mock, visitors)
  expect(refused.body.error).toMatch(
    /^The organization has used its 100 analytics requests\. Try again after \d+ seconds\.$/,
  )
  for (let i = 0; i < 15; i++) await send(mock, `${jobs}/se_0f3c9a1b2d4e5f60`)
  expect(await send(mock, visitors)).toMatchObject({ status: 200 })
})

test('an ETag gets a 304, which costs nothing of the rate limit', async () => {
  const { mock } = createStepMock({ scenario: 'rate-limit' })
  const { etag = '' } = (await send(mock, visitors)).headers
  for (let i = 0; i < 5; i++) {
    expect(await send(mock, visitors, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 304 })
  }
  expect(await send(mock, visitors)).toMatchObject({ status: 200 })
})

test('a full queue refuses a start', async () => {
  const { mock } = createStepMock({ scenario: 'full-queue' })
  expect(await send(mock, jobs, startInit())).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
})

test('a 500 comes now and then, and slow answers wait', async () => {
  const faulty = createStepMock({ scenario: 'faults' })
  const statuses: number[] = []
  for (let i = 0; i < 60; i++) statuses.push((await send(faulty.mock, `${jobs}/se_0f3c9a1b2d4e5f60`)).status)
  const faults = statuses.filter(status => status === 500).length
  expect(faults).toBeGreaterThan(5)
  expect(faults).toBeLessThan(30)
  expect(faulty.waited).toEqual([])
  const slow = createStepMock({ scenario: 'slow', delayMs: 100 })
  for (let i = 0; i < 10; i++) await send(slow.mock, visitors)
  expect(slow.waited.every(delayMs => delayMs >= 2100 && delayMs < 5100)).toBe(true)
  expect(new Set(slow.waited).size).toBeGreaterThan(5)
})

/** Forty requests that change the state, read it, and make mistakes. */
async function playSteps(options: MockOptions): Promise<string[]> {
  const { mock, waited } = createStepMock(options)
  const seen: string[] = []
  let jobId = 'se_0f3c9a1b2d4e5f60'
  for (let i = 0; i < 40; i++) {
    const steps = [
      () => send(mock, jobs, startInit()),
      () => send(mock, `${jobs}/${jobId}`),
      () => send(mock, `${jobs}/${jobId}/bundle`, { method: 'POST' }),
      () => send(mock, `${visitors}?limit=3&offset=${i}`),
      () => send(mock, '/v2/agent/prj_5b1c2d3e4f506172/job/aj_9c41d2e0b7a65f38'),
      () => send(mock, `${visitors}?limit=x`),
    ]
    const sent = await (steps[i % steps.length] as () => Promise<Sent>)()
    if (typeof sent.body.jobId === 'string') jobId = sent.body.jobId
    seen.push(JSON.stringify(sent))
  }
  return [...seen, JSON.stringify(waited)]
}

test.each(scenarioNames)('40 steps are the same twice: %s', async scenario => {
  const first = await playSteps({ scenario })
  expect(await playSteps({ scenario })).toEqual(first)
  expect(await playSteps({ scenario, seed: 'another' })).not.toEqual(first)
})

test('the query, the header and the settings switch the scenario, the delay and the error', async () => {
  const { mock, waited } = createStepMock()
  const job = `${jobs}/se_0f3c9a1b2d4e5f60`
  expect(await send(mock, `${job}?__error=500&__delay=30`)).toMatchObject({ status: 500 })
  expect(await send(mock, job, { headers: { Prefer: 'error=plan, delay=40' } })).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('enterprise plan') },
  })
  expect(await send(mock, `${visitors}?__scenario=no-visitors&limit=5`)).toMatchObject({ body: { visitors: [] } })
  expect(await send(mock, `${visitors}?limit=5`)).toMatchObject({ body: { hasMore: true } })
  const started = await send(mock, `${jobs}?__scenario=failing-exports`, startInit())
  mock.use({ scenario: 'no-visitors', error: '503', delay: '7' })
  expect(mock.settings()).toEqual({ scenario: 'no-visitors', delayMs: 7, error: '503' })
  expect(await send(mock, jobs, startInit())).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  // A job keeps the script it was started with. Its operation has no 503.
  expect((await pollExport(mock, String(started.body.jobId), 8)).at(-1)).toMatchObject({ status: 'failed' })
  expect(waited.slice(0, 3)).toEqual([30, 40, 7])
  mock.reset()
  expect(mock.settings()).toEqual({ scenario: 'usual', delayMs: 0, error: null })
  expect(await send(mock, `${jobs}/${started.body.jobId}`)).toMatchObject({ status: 404 })
})

test('every documented error can be forced, as in its example', async () => {
  const { mock } = createStepMock()
  for (const { method, path, status, operationId, parameters, examples, mediaType } of responses) {
    if (status < 400 || mediaType !== 'application/json') continue
    const target = parameters
      .filter(parameter => parameter.in === 'path')
      .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
    const init = operationId === 'startStaticExportJob' ? startInit() : { method: method.toUpperCase() }
    for (const [name, body] of Object.entries(examples)) {
      expect(await send(mock, `${target}?__error=${name}`, init)).toMatchObject({
        status,
        body: { ...(body as object), requestId: expect.any(String) },
      })
    }
  }
})

test.each<[prefer: string, status: number, error: RegExp]>([
  ['code=404', 404, /^This organization has no export job with the id/],
  ['code=403, example=plan', 403, /enterprise plan/],
  ['Example="plan"', 403, /enterprise plan/],
  ['code=404, example=plan', 400, /^The example plan has the status 403, not 404\. Leave out code\.$/],
  [
    'code=200',
    400,
    /^The mock that moves has no error with the code 200 here\. .* without --scenario to choose any\.$/,
  ],
  ['example=running', 400, /^The mock that moves has no error with the example running here\. /],
  ['code=409', 400, /^The mock that moves has no error with the code 409 here\. /],
  ['code=404, error=500', 400, /^Choose the answer with error, or with code and example, and not with both\.$/],
])('the preference of the mock with examples is honoured for errors and refused otherwise: %s', async (...given) => {
  const [prefer, status, error] = given
  const { mock } = createStepMock()
  const job = `${jobs}/se_0f3c9a1b2d4e5f60`
  const wanted = { status, body: { error: expect.stringMatching(error) } }
  expect(await send(mock, job, { headers: { Prefer: prefer } })).toMatchObject(wanted)
  const query = prefer
    .toLowerCase()
    .replaceAll('"', '')
    .split(', ')
    .map(pair => `__${pair}`)
    .join('&')
  expect(await send(mock, `${job}?${query}`)).toMatchObject(wanted)
})

test.each([
  ['__scenario=none', /^There is no scenario none\. Choose one of: usual, /],
  ['__delay=soon', /^The delay must be a whole number of milliseconds from 0 to 60000\. /],
  ['__error=409', /^getStaticExportJob has no error 409\. Choose a status \(400, 401, 403, 404, 500\), /],
  ['__error=418', /^The API has no error 418\. Choose a status /],
])('a setting that the mock does not know is refused: %s', async (query, error) => {
  const { mock } = createStepMock()
  const { status, body } = await send(mock, `${jobs}/se_0f3c9a1b2d4e5f60?${query}`)
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: expect.stringMatching(error) })
})

test('the error `network` breaks the connection', async () => {
  const { mock } = createStepMock()
  const response = await mock.answer(new Request(`${origin}${visitors}?__error=network`))
  expect(response.type).toBe('error')
})

test('2,000 random requests, right and wrong, get documented answers', async () => {
  const random = createRandom('moving mock')
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const { mock } = createStepMock({ stepSeconds: 3 })
  const jobIds = ['se_0f3c9a1b2d4e5f60', 'se_7a1d0c3b5e6f9824', 'null', '%E0%A4%A']
  const statuses = new Map<number, number>()
  for (let i = 0; i < 2000; i++) {
    mock.use({ scenario: pick(scenarioNames) })
    const headers = {
      Authorization: pick(['Bearer any', 'Bearer any', 'Bearer any', 'Bearer read-only', 'Bearer expired']),
    }
    const dates = ['2026-11-01', '2026-11-19T10:11:12.123456%2B00:00', '2026-11-20', '2026-02-30', 'x']
    const sent = await pick([
      () =>
        send(
          mock,
          jobs,
          startInit(
            { domain: pick(['docs.example.com', 'a.example.com']), format: pick(['zip', 'tar.gz', 'rar']) },
            headers,
          ),
        ),
      () => send(mock, `${jobs}/${pick(jobIds)}`, { headers }),
      () => send(mock, `${jobs}/${pick(jobIds)}/bundle`, { method: 'POST', headers }),
      () =>
        send(mock, `${visitors}?limit=${pick(['1', '50', '250', '251'])}&offset=${pick(['0', '119', '500', '-1'])}`, {
          headers,
        }),
      () => send(mock, `${visitors}?dateFrom=${pick(dates)}&dateTo=${pick(dates)}`, { headers }),
      () =>
        send(
          mock,
          `/v2/agent/prj_5b1c2d3e4f506172/job/${pick(['aj_9c41d2e0b7a65f38', 'aj_d07e5a91b2c8463f', 'aj_0'])}`,
          { headers },
        ),
    ])()
    statuses.set(sent.status, (statuses.get(sent.status) ?? 0) + 1)
    if (sent.status === 202) jobIds.push(String(sent.body.jobId))
  }
  expect([...statuses.keys()].sort()).toEqual([200, 202, 400, 401, 403, 404, 409, 429, 500])
})
