import { expect, test } from 'vitest'
import type { PageView } from '../../../server/analytics/view-batch.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import { shareTests } from '../stores.ts'

const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  await store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'month',
    visitorRules: 2,
    createdAt: 0,
  })
})

/** Bytes of which only the first six make a number of a set. */
const visitorOf = (who: number) => Buffer.alloc(16, who)

/** The views of an agent on a day: of its pages, and its label. */
function read(who: number, agent: string, day: number, ...paths: string[]): PageView[] {
  const visitor = visitorOf(who)
  const label: PageView = { visitor, path: `agent:${agent}`, day, kind: 'label' }
  return [label, ...paths.map((path): PageView => ({ visitor, path, day, kind: 'ai' }))]
}

const record = (...views: PageView[]) => shared.store.visits.recordBatch('prj_1', toViewBatch(views))

async function readPages(range = {}) {
  const { agents, readFrom, pathsOf } = await shared.store.visits.readAgentPages('prj_1', range)
  const pages = new Map<string, Record<string, number>>()
  for (const [agent, { pages: numbers, visitors }] of agents) {
    const paths = await pathsOf(numbers)
    pages.set(agent, Object.fromEntries(paths.map((path, i) => [path, visitors[i] as number])))
  }
  return { readFrom, ...Object.fromEntries(pages) }
}

shared.describe('pages by agent', () => {
  test('each agent has its pages in the range with their distinct visitors', async () => {
    await record(
      ...read(1, 'GPTBot', 1, '/', '/a'),
      ...read(1, 'GPTBot', 2, '/a', '/b'),
      ...read(255, 'GPTBot', 2, '/b'),
      ...read(3, 'ChatGPT-User', 40, '/a'),
      { visitor: visitorOf(9), path: '/people', day: 2, kind: 'human' },
    )
    expect(await readPages()).toEqual({
      readFrom: 0,
      GPTBot: { '/': 1, '/a': 1, '/b': 2 },
      'ChatGPT-User': { '/a': 1 },
    })
    expect(await readPages({ dateFrom: 2, dateTo: 40 })).toEqual({ readFrom: 0, GPTBot: { '/a': 1, '/b': 2 } })
    expect(await readPages({ dateFrom: 3, dateTo: 9 })).toEqual({ readFrom: 0 })
  })

  test('what people read with the address and the user agent of an agent is not read by the agent', async () => {
    await record(...read(1, 'GPTBot', 1, '/a.md'), { visitor: visitorOf(1), path: '/b', day: 1, kind: 'human' })
    expect(await readPages()).toEqual({ readFrom: 0, GPTBot: { '/a.md': 1 } })
  })

  test('many visitors are read in parts', async () => {
    const views = Array.from({ length: 450 }, (_, i) => {
      const visitor = Buffer.alloc(16)
      visitor.writeUInt32BE(i * 7, 1)
      return read(0, 'GPTBot', 1 + (i % 3), '/a').map(view => ({ ...view, visitor }))
    })
    await record(...views.flat())
    expect(await readPages()).toEqual({ readFrom: 0, GPTBot: { '/a': 450 } })
  })

  test('deleted visitors are told by the first day that has all', async () => {
    await record(...read(1, 'GPTBot', 1, '/a'), ...read(1, 'GPTBot', 5, '/b'))
    await shared.store.visits.pruneSeen('prj_1', 3)
    expect(await readPages()).toEqual({ readFrom: 3, GPTBot: { '/b': 1 } })
  })

  test('a destroyed key takes the pages of its days with it', async () => {
    const keys = await shared.store.visits.openVisitorKeys(() => 0)
    keys.find({ id: 'prj_1', visitorSaltRotation: 'month' }, 1)
    await record(...read(1, 'GPTBot', 1, '/a'), ...read(1, 'GPTBot', 35, '/b'))
    const now = 50 * 24 * 60 * 60 * 1000
    await shared.store.visits.destroyKeys({ id: 'prj_1', visitorSaltRotation: 'month' }, { now, graceDays: 1 })
    expect(await readPages()).toEqual({ readFrom: 31, GPTBot: { '/b': 1 } })
  })

  test('a project without visits has no agents', async () => {
    expect(await readPages()).toEqual({ readFrom: 0 })
  })
})
