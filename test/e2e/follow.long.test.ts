import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { dropVisitorWarnings } from '../analytics/follow/numbered-lines.ts'
import { RotatingWriter } from '../analytics/follow/rotating-writer.ts'
import { waitFor } from '../support/export-site.ts'
import { type FollowProcess, runQuire, startFollow } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createOrganization } from '../support/server.ts'

const rotations = 20
const random = createRandom('kills')
const kills = rounds(30)

let folder: string
let log: string
let store: Store
let args: string[]
let projectId: string
let follow: FollowProcess | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-follow-long-'))
  log = join(folder, 'access.log')
  store = openStore(join(folder, 'data'))
  projectId = (await createOrganization(store)).projectId
  args = [log, '--project', projectId, '--data', join(folder, 'data'), '--grace-seconds', '1']
})
afterEach(async () => {
  await follow?.end('SIGKILL')
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function countVisitors(): Promise<number> {
  return (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
}

/** Waits for the first counted line, because the follow does not read files that were rotated before it began. */
async function begin(): Promise<RotatingWriter> {
  const writer = new RotatingWriter(log, { linesPerSecond: 2000 })
  follow = startFollow(args)
  await waitFor(async () => ((await countVisitors()) > 0 ? true : undefined))
  return writer
}

async function rotateAtRandom(writer: RotatingWriter): Promise<void> {
  for (let i = 0; i < rotations; i++) {
    await setTimeout(200 + random() * 1500)
    await writer.rotate(random() < 0.5 ? 'rename' : 'copytruncate')
  }
}

/** Fails with the number of lines counted, and with what the follow reported. */
async function waitUntilCounted(written: number): Promise<void> {
  const isCounted = async () => ((await countVisitors()) === written ? true : undefined)
  await waitFor(isCounted, 200_000).catch(async ({ message }: Error) => {
    const { aheadBytes } = follow?.status() ?? {}
    throw new Error(`${await countVisitors()} of ${written} lines are counted; unread bytes: ${aheadBytes}.`, {
      cause: `${message} ${dropVisitorWarnings(follow?.errors() ?? '')}`,
    })
  })
}

/** Checks that the files contain every written line, and that importing them counts nothing new. */
async function compareWithFiles(written: number): Promise<void> {
  const files = readdirSync(folder).filter(name => name.startsWith('access.log'))
  expect(files.length).toBe(rotations + 1)
  const paths = files.map(name => join(folder, name))
  const { stdout } = await runQuire(['visits', 'import', ...paths, ...args.slice(1, 5), '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ lines: written, newVisitorDays: 0, pageViews: { human: written } })
  expect(await countVisitors()).toBe(written)
}

test(`${rotations} rotations under load: every line is counted, and none twice`, async () => {
  const writer = await begin()
  await rotateAtRandom(writer)
  const written = await writer.stop()
  await waitUntilCounted(written)
  expect(await follow?.end('SIGTERM')).toBe(0)
  expect(follow?.status()).toMatchObject({ lines: written, newVisitorDays: written, aheadBytes: 0 })
  expect(dropVisitorWarnings(follow?.errors() ?? '')).toBe('')
  await compareWithFiles(written)
  console.log(`${written} lines`)
})

test(`kill -9 at ${kills} random moments of ${rotations} rotations under load loses no line`, async () => {
  const writer = await begin()
  let rotated = false
  const rotating = rotateAtRandom(writer).then(() => {
    rotated = true
  })
  let killed = 0
  for (; killed < kills || !rotated; killed++) {
    // Every second kill comes while lines are counted, the others at any moment, even before the follow has begun.
    if (killed % 2 === 0) {
      const before = await countVisitors()
      await waitFor(async () => ((await countVisitors()) > before ? true : undefined))
    }
    await setTimeout(random() * 2000)
    expect(await follow?.end('SIGKILL')).toBeNull()
    expect(dropVisitorWarnings(follow?.errors() ?? '')).toBe('')
    follow = startFollow(args)
  }
  await rotating
  const written = await writer.stop()
  await waitUntilCounted(written)
  expect(await follow?.end('SIGTERM')).toBe(0)
  expect(dropVisitorWarnings(follow?.errors() ?? '')).toBe('')
  // A last run finds no unread lines.
  const { stdout } = await runQuire(['visits', 'follow', '--once', '--json', ...args])
  expect(JSON.parse(stdout)).toMatchObject({ lines: 0, aheadBytes: 0 })
  await compareWithFiles(written)
  console.log(`${written} lines, ${killed} kills`)
})
