import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitForAgentJob, waitForExport } from '../../../spec/package/client/index.ts'
import { openScripted, refuse, type Scripted } from './scripted-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const jobId = 'se_0f3c9a1b2d4e5f60'
const job = (status: string, progress: number) => Response.json({ jobId, status, progress })

/** Lets all timers run until the iterator ends; returns what it yielded, and what it threw. */
async function collect<T>(jobs: AsyncIterable<T>): Promise<{ states: T[]; error: unknown }> {
  const states: T[] = []
  const end = (async () => {
    for await (const state of jobs) states.push(state)
  })().catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { states, error: await end }
}

test('yields each state of an export once, and ends with the completed job', async () => {
  const { client, times } = openScripted([
    job('queued', 0),
    job('queued', 0),
    job('running', 10),
    job('running', 80),
    job('completed', 100),
    job('running', 0),
  ])
  const { states, error } = await collect(waitForExport(client, jobId))
  expect(states.map(({ status, progress }) => [status, progress])).toEqual([
    ['queued', 0],
    ['running', 10],
    ['running', 80],
    ['completed', 100],
  ])
  expect(error).toBeUndefined()
  expect(times).toEqual([0, 1000, 2500, 4750, 8125])
})

test('waits longer and longer, 10 seconds at most', async () => {
  const { client, times } = openScripted([...Array<Response>(12).fill(job('queued', 0)), job('failed', 0)])
  const { states } = await collect(waitForExport(client, jobId))
  expect(states.map(({ status }) => status)).toEqual(['queued', 'failed'])
  const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  expect(waits.slice(-4)).toEqual([10_000, 10_000, 10_000, 10_000])
})

test.each([{}, { status: null }, [], null, 'completed'])('a job without a status ends the wait: %j', async body => {
  const { client, requests } = openScripted([Response.json(body)])
  const { states, error } = await collect(waitForExport(client, jobId))
  expect({ states, requests: requests.length }).toEqual({ states: [], requests: 1 })
  expect(error).toMatchObject({
    name: 'QuireError',
    message: 'getStaticExportJob: the answer 200 does not have the body that the API documents.',
    body,
  })
})

test.each(['completed', 'failed', 'archived'])('ends when an agent job is %s', async status => {
  const { client } = openScripted([
    Response.json({ id: 'aj_1', status: 'active' }),
    Response.json({ id: 'aj_1', status }),
  ])
  const { states, error } = await collect(waitForAgentJob(client, { projectId: 'prj_1', id: 'aj_1' }))
  expect(states.map(state => state.status)).toEqual(['active', status])
  expect(error).toBeUndefined()
})

test.each<{ given: string; script: Scripted[]; seconds: number[] }>([
  {
    given: 'Retry-After: 20',
    script: [job('queued', 0), refuse(503, 'busy', { 'Retry-After': '20' }), job('completed', 100)],
    seconds: [0, 1, 21],
  },
  {
    given: 'Retry-After of a day, which is 5 minutes here',
    script: [refuse(503, 'busy', { 'Retry-After': '86400' }), job('completed', 100)],
    seconds: [0, 300],
  },
])('goes on after $given', async ({ script, seconds }) => {
  const { client, times } = openScripted(script, { retry: { attempts: 1 } })
  const { error } = await collect(waitForExport(client, jobId))
  expect(error).toBeUndefined()
  expect(times.map(time => time / 1000)).toEqual(seconds)
})

test('gives up after five attempts in a row, with the last error', async () => {
  const { client, requests } = openScripted([job('queued', 0), new TypeError('fetch failed')], {
    retry: { attempts: 1 },
  })
  const { states, error } = await collect(waitForExport(client, jobId))
  expect(states).toHaveLength(1)
  expect(error).toMatchObject({ name: 'QuireError', message: 'getStaticExportJob: no answer: fetch failed.' })
  expect(requests).toHaveLength(6)
})

test('a refusal ends it with status, body and request id', async () => {
  const { client, requests } = openScripted([refuse(404, 'No export job has this id.', { 'X-Request-Id': 'req-1' })])
  const { error } = await collect(waitForExport(client, jobId))
  expect(error).toMatchObject({
    message: 'getStaticExportJob: 404: No export job has this id. (request id req-1)',
    status: 404,
    body: { error: 'No export job has this id.' },
    requestId: 'req-1',
  })
  expect(requests).toHaveLength(1)
})

test('an aborted signal ends the wait at once, and leaves no timer', async () => {
  const { client, requests } = openScripted([job('queued', 0)])
  const abort = new AbortController()
  const jobs = waitForExport(client, jobId, { signal: abort.signal })
  await jobs.next()
  const next = jobs.next().catch(error => error)
  await vi.advanceTimersByTimeAsync(500)
  abort.abort(new Error('enough'))
  expect(await next).toBe(abort.signal.reason)
  expect(requests).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a loop that is left sends nothing more', async () => {
  const { client, requests } = openScripted([job('queued', 0)])
  for await (const { status } of waitForExport(client, jobId)) {
    expect(status).toBe('queued')
    break
  }
  await vi.runAllTimersAsync()
  expect(requests).toHaveLength(1)
})

/** Opens a client of a server that holds each answer as long as the client wants, or until the job ends. */
function openHolding(pending: 'active' | 'running', endsAtMs: number) {
  const waits: (string | null)[] = []
  const startedAt = Date.now()
  const isOver = () => Date.now() - startedAt >= endsAtMs
  const hold = async ({ headers }: Request) => {
    const wait = headers.get('Prefer') ?? ''
    waits.push(wait)
    for (let leftMs = Number(wait.slice(5)) * 1000; leftMs > 0 && !isOver(); leftMs -= 100) {
      await new Promise(done => setTimeout(done, 100))
    }
    const applied: HeadersInit = wait === '' ? {} : { 'Preference-Applied': wait }
    return Response.json({ status: isOver() ? 'completed' : pending }, { headers: applied })
  }
  return { hold, waits }
}
const agentJob = { projectId: 'prj_1', id: 'aj_1' }

test('a held answer about an agent job takes the place of all pauses', async () => {
  const { hold, waits } = openHolding('active', 50_000)
  const { client, times } = openScripted([hold])
  const { states } = await collect(waitForAgentJob(client, agentJob))
  expect(states.map(({ status }) => status)).toEqual(['active', 'completed'])
  expect(waits).toEqual(['wait=0', 'wait=20', 'wait=20', 'wait=20'])
  expect(times).toEqual([0, 0, 20_000, 40_000])
})

test('an answer about an export is held as long as the pause would be, so that progress is seen as often', async () => {
  const { hold, waits } = openHolding('running', 11_000)
  const { client, times } = openScripted([hold])
  await collect(waitForExport(client, jobId))
  expect(waits).toEqual(['wait=0', 'wait=1', 'wait=1', 'wait=2', 'wait=3', 'wait=5'])
  expect(times).toEqual([0, 0, 1000, 2000, 4000, 7000])
})

test('a pause of less than a second stays one', async () => {
  const { hold, waits } = openHolding('running', 1000)
  const { client, times } = openScripted([hold])
  await collect(waitForExport(client, jobId, { firstWaitMs: 400, maxWaitMs: 400 }))
  expect(waits).toEqual(Array(4).fill('wait=0'))
  expect(times).toEqual([0, 400, 800, 1200])
})

test('a server that only says that it holds answers gets pauses', async () => {
  const { client, times } = openScripted([
    ...Array<Response>(3).fill(Response.json({ status: 'active' }, { headers: { 'Preference-Applied': 'wait=20' } })),
    Response.json({ status: 'completed' }),
  ])
  await collect(waitForAgentJob(client, agentJob))
  expect(times).toEqual([0, 0, 1500, 3750])
})

test.each<{ given: string; fail: Scripted }>([
  { given: 'fails at a proxy', fail: () => new Response('Gateway Time-out', { status: 504 }) },
  { given: 'may not be asked for by the script of another origin', fail: () => new TypeError('Failed to fetch') },
])('a held answer that $given is asked for without the header', async ({ fail }) => {
  const { hold } = openHolding('active', 10_000)
  const answer: Scripted = request =>
    request.headers.has('Prefer') ? (fail as (r: Request) => Response)(request) : hold(request)
  const { client, requests } = openScripted([answer])
  const { states, error } = await collect(waitForAgentJob(client, agentJob))
  expect(error).toBeUndefined()
  expect(states.map(({ status }) => status)).toEqual(['active', 'completed'])
  // The three attempts of one request.
  expect(requests.filter(({ headers }) => headers.has('Prefer'))).toHaveLength(3)
})
