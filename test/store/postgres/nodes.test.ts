import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../../server/store/postgres/store.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''

describe.skipIf('missing' in found)(`nodes of one PostgreSQL${skipped}`, () => {
  let database: TestDatabase
  let nodes: [PostgresStore, PostgresStore, PostgresStore]
  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
  })
  afterAll(() => database?.drop())
  beforeEach(async () => {
    await database.clear()
    const open = () => openPostgresStore(database.url)
    nodes = [await open(), await open(), await open()]
  })
  afterEach(() => Promise.all(nodes.map(node => node.close())))

  test('work with a name runs on one node at a time, and on another when it has ended', async () => {
    let running = 0
    let runs = 0
    let refused = 0
    const others = Promise.withResolvers<void>()
    const work = async () => {
      running += 1
      runs += 1
      expect(running).toBe(1)
      await others.promise
      running -= 1
    }
    const run = async (node: PostgresStore) => {
      const hasRun = await node.exclusively('retention', work)
      if (!hasRun) refused += 1
      if (refused === 2) others.resolve()
      return hasRun
    }
    const ran = await Promise.all(nodes.map(run))
    expect([ran.sort(), runs]).toEqual([[false, false, true], 1])
    expect([await nodes[1].exclusively('retention', work), runs]).toEqual([true, 2])
  })

  test('works with other names run beside it', async () => {
    await nodes[0].exclusively('retention', async () => {
      expect(await nodes[1].exclusively('archive', async () => {})).toBe(true)
      expect(await nodes[1].exclusively('retention', async () => {})).toBe(false)
    })
  })

  test('an error of the work is thrown, runs it once, and frees the name', async () => {
    let runs = 0
    const fail = async () => {
      runs += 1
      throw Object.assign(new Error('the work failed'), { code: 'ECONNRESET' })
    }
    await expect(nodes[0].exclusively('retention', fail)).rejects.toThrow('the work failed')
    expect(runs).toBe(1)
    expect(await nodes[1].exclusively('retention', async () => {})).toBe(true)
  })

  test('work that outlives the connection of its lock runs once, and its end counts', async () => {
    let runs = 0
    const work = async () => {
      runs += 1
      await database.run(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_locks JOIN pg_database ON oid = database
         WHERE datname = current_database() AND locktype = 'advisory'`,
      )
    }
    const fail = () => work().then(() => Promise.reject(new Error('the work failed')))
    expect([await nodes[0].exclusively('retention', work), runs]).toEqual([true, 1])
    await expect(nodes[0].exclusively('retention', fail)).rejects.toThrow('the work failed')
    expect(runs).toBe(2)
  })

  test('a node with another link key is noticed, and one that knows the old key replaces it', async () => {
    const [a, b, c] = [1, 2, 3].map(number => Buffer.alloc(32, number)) as [Buffer, Buffer, Buffer]
    const agree = (node: number, ...keys: [Buffer, ...Buffer[]]) => nodes[node]?.linkKey.agree(keys)
    expect(await agree(0, a)).toBe(true)
    expect(await agree(1, a)).toBe(true)
    expect(await agree(1, b)).toBe(false)
    expect(await agree(1, b, a)).toBe(true)
    expect(await agree(0, a)).toBe(false)
    expect(await agree(0, a, b)).toBe(true)
    await nodes[2].linkKey.forget()
    expect(await agree(1, c)).toBe(true)
    expect(await agree(0, a, b)).toBe(false)
  })

  test('of nodes that start together with different link keys, one is right', async () => {
    const answers = await Promise.all(nodes.map((node, i) => node.linkKey.agree([Buffer.alloc(32, i)])))
    expect(answers.sort()).toEqual([false, false, true])
  })
})
