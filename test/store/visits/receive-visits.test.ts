import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { formatDay } from '../../../server/analytics/day.ts'
import {
  type Delivery,
  DeliveryRefusedError,
  type ReceivedVisits,
  type SentDelivery,
} from '../../../server/analytics/import/delivery.ts'
import { DeliveryCounter } from '../../../server/analytics/import/receive-visits.ts'
import type { VisitorReader } from '../../../server/analytics/unique-visitors.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { countByBruteForce } from '../../analytics/brute-force.ts'
import { nameDemoAgents } from '../../analytics/demo-agent-names.ts'
import { toLine } from '../../analytics/follow/numbered-lines.ts'
import { shareTests } from '../stores.ts'

const now = Date.UTC(2026, 10, 20)
const from = 20_750
const days = 20
const maxBytes = 4_000_000
const paths = ['/', ...Array.from({ length: 60 }, (_, i) => `/guide/page-${i}`)]
const lines = [...generateAccessLog({ seed: 7, lines: 3000, from, to: from + days, paths })]
const toOne: Delivery = { target: { projectId: 'prj_1' } }

let counter: DeliveryCounter
const shared = shareTests(async ({ store }) => {
  for (const [organization, project] of [
    ['org_1', 'prj_1'],
    ['org_1', 'prj_2'],
    ['org_2', 'prj_3'],
  ] as const) {
    if (project !== 'prj_2') {
      await store.organizations.insert({ id: organization, name: organization, plan: 'standard', createdAt: 0 })
    }
    const owner = { organizationId: organization, name: project, createdAt: 0 }
    await store.projects.insert({ id: project, visitorSaltRotation: 'never', visitorRules: 2, ...owner })
    await store.sites.insert({
      domain: `${project.slice(4)}.example.com`,
      projectId: project,
      origin: null,
      createdAt: 0,
    })
  }
  counter = new DeliveryCounter({ store, maxBytes, maxLines: 50_000, now: () => now })
})

const toSent = (body: string | Buffer, delivery: Delivery = toOne): SentDelivery => {
  const bytes = Buffer.from(body)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 50_000) pieces.push(bytes.subarray(at, at + 50_000))
  return { delivery, pieces }
}
const send = async (body: string | Buffer, delivery: Delivery = toOne, by = counter) => {
  const [result] = await by.countAll([toSent(body, delivery)])
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason
}
const total = ({ counted, known, tooOld, filtered, unreadable }: ReceivedVisits) =>
  counted + known + tooOld + filtered + unreadable.reduce((sum, { count }) => sum + count, 0)
const count = async (projectId = 'prj_1') =>
  (await shared.store.visits.countUniqueVisitors(projectId, {}, { limit: 250, offset: 0 })).totals
const findRevision = async () => {
  // Both stores have the reader of a server.
  const visits = shared.store.visits as unknown as VisitorReader
  return (await visits.countAtRevision('prj_1', {}, { limit: 1, offset: 0 })).revision
}
const refusalOf = async (sent: Promise<unknown>) => {
  const error = await sent.then(
    () => undefined,
    error => error,
  )
  expect(error).toBeInstanceOf(DeliveryRefusedError)
  return (error as DeliveryRefusedError).refusal
}

const text = `${lines.join('\n')}\n`
const nanoseconds = (line: string) => ({ observedTimeUnixNano: '1795083072000000000', body: { stringValue: line } })
const bodies: [string, string | Buffer, Partial<Delivery>?][] = [
  ['lines', text],
  ['lines by gzip', gzipSync(text), { encoding: 'gzip' }],
  ['lines by gzip, not named', gzipSync(text)],
  ['lines by zstd', zstdCompressSync(text), { encoding: 'zstd' }],
  ['lines with a given format', text, { encoding: 'identity', settings: { format: 'combined', envelope: 'none' } }],
  ['an array of strings', JSON.stringify(lines)],
  ['an array of records, as Fluent Bit sends', JSON.stringify(lines.map(log => ({ date: 1795083072.5, log })))],
  ['lines of records, as Vector sends', lines.map(message => JSON.stringify({ host: 'web-1', message })).join('\n')],
  ['OTLP', JSON.stringify({ resourceLogs: [{ scopeLogs: [{ scope: {}, logRecords: lines.map(nanoseconds) }] }] })],
]

shared.describe('bodies', () => {
  test.each(bodies)('%s count as brute force counts them, and the same again changes nothing', async (_, body, how) => {
    const delivery = { ...toOne, ...how }
    const first = await send(body, delivery)
    expect(first.lines).toBe(lines.length)
    expect(total(first)).toBe(lines.length)
    expect(first.unreadable.length).toBeGreaterThan(2)
    const span = [formatDay(from - 1), formatDay(from + days + 1)] as const
    const [want] = countByBruteForce(lines, nameDemoAgents(), [span], now)
    const { totals, visitors } = await shared.store.visits.countUniqueVisitors('prj_1', {}, { limit: 250, offset: 0 })
    expect(totals).toEqual({ human: want?.human, ai: want?.ai, total: want?.total })
    expect(Object.fromEntries(visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))).toEqual(
      want?.pages,
    )
    const revision = await findRevision()
    const again = await send(body, delivery)
    expect(again).toEqual({ ...first, counted: 0, known: first.counted + first.known })
    expect(await findRevision()).toBe(revision)
  })

  test('a line counts once, also in another delivery, order and layout', async () => {
    const sent = [toLine(1), toLine(2), toLine(1)]
    expect(await send(sent.join(''))).toMatchObject({ lines: 3, counted: 2, known: 1, filtered: 0, unreadable: [] })
    expect(await send(JSON.stringify([toLine(3), toLine(2)]))).toMatchObject({ counted: 1, known: 1 })
    expect(await count()).toMatchObject({ human: 3 })
  })

  test('unreadable lines are counted by their reason, with one example, and never fail', async () => {
    const bad = [
      'no access log \u001b[31m',
      toLine(1).trimEnd().replace('10.0.0.1', 'not an address'),
      toLine(1).trimEnd().replace('20/Nov', '32/Nov'),
      'x'.repeat(70_000),
      'y'.repeat(300),
    ]
    const received = await send([...Array(6).fill(toLine(1).trimEnd()), ...bad].join('\n'))
    expect(received).toMatchObject({ lines: 11, counted: 1, known: 5 })
    expect(received.unreadable).toEqual([
      { reason: 'wrong-format', count: 3, example: 'no access log \\u001b[31m' },
      { reason: 'bad-date', count: 1, example: expect.stringContaining('32/Nov') },
      { reason: 'too-long', count: 1 },
    ])
    const only = await send('y'.repeat(300))
    expect(only).toEqual({
      lines: 1,
      counted: 0,
      known: 0,
      tooOld: 0,
      filtered: 0,
      unreadable: [{ reason: 'wrong-format', count: 1, example: `${'y'.repeat(200)}...` }],
    })
  })

  test.each(['', '\n', '[]', '{"resourceLogs":[]}'])('the empty body %j is no error', async body => {
    expect(await send(body)).toMatchObject({ counted: 0, filtered: 0 })
    expect(await send(gzipSync(body), { ...toOne, encoding: 'gzip' })).toMatchObject({ counted: 0 })
  })

  test('a cut body is refused, none of it is counted, and the next delivery has nothing of it', async () => {
    const array = JSON.stringify(lines.slice(0, 200).map(log => ({ log })))
    const gzip = gzipSync(text)
    const zstd = zstdCompressSync(text)
    for (const share of [0.01, 0.3, 0.7, 0.999]) {
      const cut = (body: Buffer) => body.subarray(0, Math.floor(body.length * share))
      expect(await refusalOf(send(cut(Buffer.from(array))))).toBe('damaged')
      expect(await refusalOf(send(cut(gzip), { ...toOne, encoding: 'gzip' }))).toBe('damaged')
      expect(await refusalOf(send(cut(zstd), { ...toOne, encoding: 'zstd' }))).toBe('damaged')
    }
    const wrong = Buffer.from(gzip)
    wrong.fill(0xff, 1000, 1200)
    expect(await refusalOf(send(wrong))).toBe('damaged')
    expect(await refusalOf(send(text, { ...toOne, encoding: 'gzip' }))).toBe('damaged')
    expect(await count()).toEqual({ human: 0, ai: 0, total: 0 })
    await send(toLine(1))
    expect(await count()).toEqual({ human: 1, ai: 0, total: 1 })
  })

  test('deliveries that are counted together have their own results, also if one of them is refused', async () => {
    const half = `${lines.slice(0, Math.floor(lines.length / 2)).join('\n')}\n`
    const cut = gzipSync(text).subarray(0, 60)
    const alone = await send(half)
    const { counted } = await send(text)
    for (const damaged of [[], [toSent(cut, { ...toOne, encoding: 'gzip' })]]) {
      await shared.store.visits.deleteVisits('prj_1')
      counter = new DeliveryCounter({ store: shared.store, maxBytes, maxLines: 50_000, now: () => now })
      const results = await counter.countAll([toSent(half), ...damaged, toSent(text), toSent(half)])
      const values = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(damaged.length)
      expect(values.map(total)).toEqual(values.map(({ lines }) => lines))
      expect(values.reduce((sum, each) => sum + each.counted, 0)).toBe(alone.counted + counted)
      expect(values[2]?.counted).toBe(0)
    }
  })

  test('a body that grows too much by decompression is refused, and none of it is counted', async () => {
    const bombs = [`${toLine(1)}${' '.repeat(100_000_000)}`, `${toLine(1)}${'\n'.repeat(100_000_000)}`]
    for (const bomb of bombs) {
      expect(await refusalOf(send(gzipSync(bomb), { ...toOne, encoding: 'gzip' }))).toBe('too-large')
      expect(await refusalOf(send(zstdCompressSync(bomb)))).toBe('too-large')
    }
    expect(await refusalOf(send(toLine(1).repeat(maxBytes / 100)))).toBe('too-large')
    expect(await count()).toMatchObject({ total: 0 })
  })
})

shared.describe('targets and settings', () => {
  test.each<[string, Partial<Delivery>]>([
    ['unsupported-encoding', { encoding: 'br' }],
    ['unsupported-encoding', { encoding: 'gzip, gzip' }],
    ['no-project', { target: { projectId: 'prj_9' } }],
    ['no-site', { target: { organizationId: 'org_9' } }],
    ['wrong-settings', { settings: { format: 'nginxx' } }],
    ['wrong-settings', { settings: { format: 'json' } }],
    ['wrong-settings', { settings: { format: 'combined', jsonFields: 'time=t' } }],
    ['wrong-settings', { settings: { jsonFields: 'time=t' } }],
    ['wrong-settings', { settings: { format: '$remote_addr' } }],
    ['wrong-settings', { settings: { envelope: 'paper' } }],
    ['wrong-settings', { settings: { format: 'cloudfront', clientField: 'X-Real-IP' } }],
    ['wrong-settings', { target: { organizationId: 'org_1' } }],
  ])('%s: %j is refused', async (refusal, how) => {
    expect(await refusalOf(send(toLine(1), { ...toOne, ...how }))).toBe(refusal)
    expect(await count()).toMatchObject({ total: 0 })
  })

  test('by host, each project gets its lines, and other organizations get none', async () => {
    const target = { organizationId: 'org_1' }
    const body = [1, 2, 2, 3, 9].map((host, i) => `${host}.example.com:443 ${toLine(i)}`).join('')
    expect(await send(body, { target })).toMatchObject({ lines: 5, counted: 3, filtered: 2 })
    expect([await count('prj_1'), await count('prj_2'), await count('prj_3')]).toMatchObject(
      [1, 2, 0].map(human => ({ human })),
    )
    const { store } = shared
    await store.sites.insert({ domain: '9.example.com', projectId: 'prj_1', origin: null, createdAt: 0 })
    expect(await send(body, { target })).toMatchObject({ counted: 1, known: 3, filtered: 1 })
  })

  test('lines of pruned days are told apart', async () => {
    await send(toLine(1) + toLine(2, '19/Nov/2026:10:11:12 +0000'))
    await shared.store.visits.pruneSeen('prj_1', Date.UTC(2026, 10, 20) / 86_400_000)
    expect(await send(toLine(3, '19/Nov/2026:10:11:12 +0000') + toLine(4))).toMatchObject({
      lines: 2,
      counted: 1,
      tooOld: 1,
    })
  })

  test('a deleted project, or visits that were deleted, do not disturb later deliveries', async () => {
    await send(toLine(1))
    await shared.store.visits.deleteVisits('prj_1')
    expect(await send(toLine(1) + toLine(2))).toMatchObject({ counted: 2, known: 0 })
    expect(await count()).toMatchObject({ human: 2 })
  })

  test('two receivers of one project count each line once', async () => {
    const other = new DeliveryCounter({ store: await shared.openOther(), maxBytes, now: () => now })
    const parts = Array.from({ length: 10 }, (_, i) => lines.slice(i * 300, i * 300 + 300).join('\n'))
    const results: ReceivedVisits[] = []
    await Promise.all(
      [counter, other].map(async by => {
        for (const part of parts) results.push(await send(part, toOne, by))
      }),
    )
    const sum = (name: 'counted' | 'known') => results.reduce((all, each) => all + each[name], 0)
    expect(await send(text)).toMatchObject({ counted: 0, known: (sum('counted') + sum('known')) / 2 })
  })
})
