import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eachVisitor } from '../../../spec/package/client/index.ts'
import { openScripted, refuse, type Scripted } from './scripted-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const totals = { human: 1, ai: 0, total: 1 }

function page(names: readonly string[], hasMore: boolean): Response {
  return Response.json({ totals, visitors: names.map(path => ({ path, ...totals })), hasMore })
}

/** Answers as a server with these pages that follows limit and offset. */
function serve(paths: readonly string[]): Scripted {
  return request => {
    const query = new URL(request.url).searchParams
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
    return page(paths.slice(offset, offset + limit), offset + limit < paths.length)
  }
}

async function collect(script: Scripted[], options: { limit?: number } = {}) {
  const { client, requests } = openScripted(script)
  const paths: string[] = []
  const end = (async () => {
    for await (const { path } of eachVisitor(client, { projectId: 'prj_1', ...options })) paths.push(path)
  })().catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { paths, requests, error: await end }
}

test.each([{}, { visitors: null }, { visitors: [null] }, { visitors: [{ path: 5 }] }])(
  'visitors of another form are an error: %j',
  async body => {
    const { paths, requests, error } = await collect([Response.json({ totals, hasMore: true, ...body })])
    expect({ paths, requests: requests.length }).toEqual({ paths: [], requests: 1 })
    expect(error).toMatchObject({
      message: 'getUniqueVisitors: the answer 200 does not have the body that the API documents.',
    })
  },
)

const site = Array.from({ length: 23 }, (_, i) => `/${i}`)

test.each([1, 5, 23, 24])('yields all pages of a site in requests of %i', async limit => {
  const { paths, requests, error } = await collect([serve(site)], { limit })
  expect(paths).toEqual(site)
  expect(error).toBeUndefined()
  expect(requests).toHaveLength(Math.ceil(site.length / limit))
})

test('asks for 250 pages of the range at a time', async () => {
  const { client, requests } = openScripted([page([], false)])
  const range = { dateFrom: '2026-11-01', dateTo: '2026-11-20' }
  for await (const visitor of eachVisitor(client, { projectId: 'a/b', ...range })) expect(visitor).toBeUndefined()
  expect(requests.map(({ url }) => url.slice('http://127.0.0.1:8787'.length))).toEqual([
    '/v1/analytics/a%2Fb/visitors?dateFrom=2026-11-01&dateTo=2026-11-20&limit=250&offset=0',
  ])
})

test.each<{ given: string; script: Scripted[]; wanted: string[]; count: number }>([
  { given: 'repeats its first page for ever', script: [page(['/a', '/b'], true)], wanted: ['/a', '/b'], count: 2 },
  { given: 'has more, and sends nothing', script: [page([], true)], wanted: [], count: 1 },
  {
    given: 'repeats a page within an answer',
    script: [page(['/a', '/a', '/b'], true), page(['/b'], true)],
    wanted: ['/a', '/b'],
    count: 2,
  },
  {
    given: 'moves a page to the next answer',
    script: [page(['/a', '/b'], true), page(['/b', '/c'], false)],
    wanted: ['/a', '/b', '/c'],
    count: 2,
  },
])('ends, with each page once, if the server $given', async ({ script, wanted, count }) => {
  const { paths, requests, error } = await collect(script)
  expect(paths).toEqual(wanted)
  expect(error).toBeUndefined()
  expect(requests).toHaveLength(count)
})

test('ends with an error if a server has new pages for ever', async () => {
  let count = 0
  const { paths, requests, error } = await collect([() => page([`/${count++}`], true)])
  expect(error).toMatchObject({
    message: 'getUniqueVisitors: the server still has more pages after 4000 requests.',
  })
  expect(requests).toHaveLength(4000)
  expect(paths).toHaveLength(4000)
})

test('waits for the budget, and goes on where it was', async () => {
  const spent = refuse(429, 'spent', { 'Retry-After': '36' })
  const { paths, requests } = await collect([page(['/a'], true), spent, spent, page(['/b'], false)])
  expect(paths).toEqual(['/a', '/b'])
  expect(requests.map(({ url }) => new URL(url).searchParams.get('offset'))).toEqual(['0', '1', '1', '1'])
})

test('a refusal ends it', async () => {
  const { error, requests } = await collect([refuse(404, 'No such project.')])
  expect(error).toMatchObject({ status: 404, message: 'getUniqueVisitors: 404: No such project.' })
  expect(requests).toHaveLength(1)
})

test('a signal ends it', async () => {
  const { client, requests } = openScripted([serve(site)])
  const abort = new AbortController()
  const run = (async () => {
    for await (const visitor of eachVisitor(client, { projectId: 'p', limit: 1, signal: abort.signal })) {
      if (visitor.path === '/2') abort.abort(new Error('enough'))
    }
  })()
  await expect(run).rejects.toThrow('enough')
  expect(requests).toHaveLength(3)
})
