import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Delivery, DeliveryRefusedError } from '../../server/analytics/import/delivery.ts'
import { UnusableVisitsError } from '../../server/analytics/unusable-visits.ts'
import { UnavailableError } from '../../server/base/unavailable-error.ts'
import { openStore, type SqliteStore } from '../../server/store/store.ts'
import { type ReceiveOptions, startReceivingVisits } from '../../server/workers/receive-visits.ts'
import { toLine } from '../analytics/follow/numbered-lines.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

let dataFolder: string
let store: SqliteStore
let started: ReturnType<typeof startReceivingVisits>[] = []

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-receive-'))
  store = open(dataFolder)
})
afterEach(async () => {
  for (const one of started) await one.stop()
  started = []
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})

function open(folder: string): SqliteStore {
  const opened = openStore(folder)
  opened.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    opened.projects.insert({
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
  }
  return opened
}

function start(options: Partial<ReceiveOptions> = {}) {
  const receiver = startReceivingVisits({ setup: { dataFolder }, ...options })
  started.push(receiver)
  return receiver
}

const to = (projectId: string): Delivery => ({ target: { projectId } })
async function* bodyOf(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const linesOf = (from: number, count: number) => Array.from({ length: count }, (_, i) => toLine(from + i)).join('')
const count = async (projectId = 'prj_1') =>
  (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    error => error,
  )

/** A body that does not end until it is told to. */
function slowBody(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* chunks() {
    yield Buffer.from(text)
    await promise
  }
  return { chunks: chunks(), end: resolve }
}

test('a delivery is in the database when it is answered, and many at once count each line once', async () => {
  const receiver = start()
  const sent = Array.from({ length: 20 }, (_, i) =>
    receiver.receive(to('prj_1'), bodyOf(linesOf(i * 50, 50), linesOf(i * 50 + 50, 50))),
  )
  const received = await Promise.all(sent)
  expect(received.map(({ lines }) => lines)).toEqual(Array(20).fill(100))
  expect(received.reduce((sum, { counted }) => sum + counted, 0)).toBe(1050)
  expect(await count()).toBe(1050)
})

test('chunks of any size, and memory that is reused, make the same lines', async () => {
  const text = Buffer.from(linesOf(0, 3000))
  async function* reused() {
    const memory = Buffer.alloc(1000)
    for (let at = 0; at < text.length; ) {
      const length = text.copy(memory, 0, at, at + 1 + (at % 999))
      yield memory.subarray(0, length)
      memory.fill(0)
      at += length
    }
  }
  expect(await start().receive(to('prj_1'), reused())).toMatchObject({ lines: 3000, counted: 3000, unreadable: [] })
})

test('projects take turns, and the deliveries of one project keep their order', async () => {
  const receiver = start()
  const order: string[] = []
  const send = (project: string, name: string) =>
    receiver.receive(to(project), bodyOf(linesOf(0, 200))).then(() => order.push(name))
  const names = Array.from({ length: 30 }, (_, i) => `a${i + 1}`)
  const first = names.map(name => send('prj_1', name))
  await Promise.all([...first, send('prj_2', 'b1'), send('prj_2', 'b2')])
  expect(order.filter(name => name.startsWith('a'))).toEqual(names)
  // The first delivery is counted at once, and then at most 16 of one project together.
  expect(order.slice(17, 19)).toEqual(['b1', 'b2'])
})

test('too many deliveries of a project are refused for now, and there is room again later', async () => {
  const receiver = start({ maxWaiting: 2 })
  const slow = [slowBody(toLine(1)), slowBody(toLine(2))]
  const sent = slow.map(({ chunks }) => receiver.receive(to('prj_1'), chunks))
  const error = await errorOf(receiver.receive(to('prj_1'), bodyOf(toLine(3))))
  expect(error).toBeInstanceOf(UnavailableError)
  expect(error).toMatchObject({ reason: 'busy' })
  expect(await receiver.receive(to('prj_2'), bodyOf(toLine(3)))).toMatchObject({ counted: 1 })
  for (const { end } of slow) end()
  await Promise.all(sent)
  expect(await receiver.receive(to('prj_1'), bodyOf(toLine(3)))).toMatchObject({ counted: 1 })
  expect(await count()).toBe(3)
})

test('too many bytes that wait are refused for now, but never a single delivery', async () => {
  const receiver = start({ maxWaitingBytes: 10_000 })
  const slow = slowBody(linesOf(0, 100))
  const sent = receiver.receive(to('prj_1'), slow.chunks)
  expect(await errorOf(receiver.receive(to('prj_2'), bodyOf(toLine(1))))).toMatchObject({ reason: 'busy' })
  slow.end()
  expect(await sent).toMatchObject({ counted: 100 })
  expect(await receiver.receive(to('prj_2'), bodyOf(toLine(1)))).toMatchObject({ counted: 1 })
})

test('a body that fails, and an encoding that is unknown, leave no trace', async () => {
  const receiver = start({ maxWaiting: 1 })
  async function* broken() {
    yield Buffer.from(toLine(1))
    throw new Error('aborted')
  }
  for (let i = 0; i < 3; i++) await expect(receiver.receive(to('prj_1'), broken())).rejects.toThrow('aborted')
  const error = await errorOf(receiver.receive({ ...to('prj_1'), encoding: 'br' }, bodyOf(toLine(1))))
  expect(error).toBeInstanceOf(DeliveryRefusedError)
  expect(await count()).toBe(0)
  expect(await receiver.receive(to('prj_1'), bodyOf(toLine(1)))).toMatchObject({ counted: 1 })
})

test('errors of the thread keep their kind', async () => {
  const receiver = start({ setup: { dataFolder, maxUnpackedBytes: 1000 } })
  const large = await errorOf(receiver.receive(to('prj_1'), bodyOf(linesOf(0, 100))))
  expect(large).toBeInstanceOf(DeliveryRefusedError)
  expect(large).toMatchObject({ refusal: 'too-large', message: expect.stringContaining('1000 bytes') })
  await receiver.receive(to('prj_1'), bodyOf(toLine(1)))
  await receiver.stop()
  store.close()
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataFolder, 'visits', `prj_1.db${suffix}`), { force: true })
  writeFileSync(join(dataFolder, 'visits', 'prj_1.db'), '')
  store = openStore(dataFolder)
  expect(await errorOf(start().receive(to('prj_1'), bodyOf(toLine(1))))).toBeInstanceOf(UnusableVisitsError)
})

test('a database that is locked for long is unavailable, and the same delivery counts later', async () => {
  const receiver = start()
  await receiver.receive(to('prj_1'), bodyOf(toLine(1)))
  const other = new Database(join(dataFolder, 'visits', 'prj_1.db'))
  other.exec('BEGIN IMMEDIATE')
  const error = await errorOf(receiver.receive(to('prj_1'), bodyOf(toLine(2))))
  other.close()
  expect(error).toBeInstanceOf(UnavailableError)
  expect(error).toMatchObject({ reason: 'locked' })
  expect(await receiver.receive(to('prj_1'), bodyOf(toLine(2)))).toMatchObject({ counted: 1, known: 0 })
})

test('a full disk is unavailable, and the same delivery counts when there is room again', async ctx => {
  const disk = mountSmallDisk(8)
  if (!disk) return ctx.skip('this user may not mount disks')
  const small = open(disk.folder)
  const receiver = start({ setup: { dataFolder: disk.folder } })
  try {
    await receiver.receive(to('prj_1'), bodyOf(toLine(1)))
    disk.fill()
    const error = await errorOf(receiver.receive(to('prj_1'), bodyOf(linesOf(0, 3000))))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).toMatchObject({ reason: 'full' })
    await disk.free()
    expect(await receiver.receive(to('prj_1'), bodyOf(linesOf(0, 3000)))).toMatchObject({ counted: 2999, known: 1 })
  } finally {
    await receiver.stop()
    small.close()
    disk.unmount()
  }
})

test('stopping ends the delivery that is counted, and refuses those that wait', async () => {
  const receiver = start()
  await receiver.receive(to('prj_1'), bodyOf(toLine(0)))
  const running = receiver.receive(to('prj_1'), bodyOf(linesOf(0, 2000)))
  const waiting = errorOf(receiver.receive(to('prj_1'), bodyOf(linesOf(2000, 10))))
  await new Promise(done => setImmediate(done))
  await receiver.stop()
  expect(await running).toMatchObject({ counted: 1999 })
  expect(await waiting).toMatchObject({ reason: 'busy' })
  expect(await errorOf(receiver.receive(to('prj_1'), bodyOf(toLine(1))))).toMatchObject({ reason: 'busy' })
  expect(await count()).toBe(2000)
})

test('without a delivery, no thread is started', async () => {
  await start({ setup: { dataFolder: '/nowhere' } }).stop()
})
