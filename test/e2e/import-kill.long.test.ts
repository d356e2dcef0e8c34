import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { formatDay } from '../../server/analytics/day.ts'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { countByBruteForce, toExactLabels } from '../analytics/brute-force.ts'
import { nameDemoAgents } from '../analytics/demo-agent-names.ts'
import { createTestDatabase, findPostgres } from '../support/postgres/test-database.ts'
import { runQuire } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createOrganization } from '../support/server.ts'

const random = createRandom('kills')
/** Each attempt on PostgreSQL takes twice as long. */
const usualKills = { SQLite: rounds(20), PostgreSQL: rounds(10) }
const from = 20_500
const days = 60
const importer = join(import.meta.dirname, 'import-in-batches.ts')

interface Place {
  dataFolder: string
  /** The address of a PostgreSQL; undefined = SQLite. */
  database?: string
}

const openPlace = ({ dataFolder, database }: Place): Promise<Store> | Store =>
  database === undefined ? openStore(dataFolder) : openPostgres(database, { dataFolder })

/** Opens the store for one question. */
async function ask<T>(place: Place, question: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPlace(place)
  try {
    return await question(store)
  } finally {
    await store.close()
  }
}

async function killImports(place: Place, kills: number): Promise<void> {
  const { dataFolder, database } = place
  const file = join(dataFolder, 'access.log')
  const paths = Array.from({ length: 200 }, (_, i) => `/guide/page-${i}`)
  const lines = [...generateAccessLog({ seed: 7, lines: 300_000, from, to: from + days, paths })]
  await pipeline(Readable.from(lines.map(line => `${line}\n`)), createWriteStream(file))
  const { projectId } = await ask(place, createOrganization)
  const countVisitors = () =>
    ask(place, async ({ visits }) => {
      const { totals } = await visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })
      return totals.total
    })

  let killed = 0
  let all = Number.POSITIVE_INFINITY
  const left = new Set<number>()
  const countParts = () => [...left].filter(total => total > 0 && total < all).length
  let longestMs = 2000
  // On a slow machine, the first kills come before the first batch, and leave nothing to go on from.
  const isAllCounted = () => all < Number.POSITIVE_INFINITY
  for (let attempt = 0; killed < kills || (countParts() < 2 && !isAllCounted()); attempt++) {
    expect(attempt).toBeLessThan(kills * 3 + 10)
    const program = startProgram([importer, file, projectId, dataFolder, ...(database === undefined ? [] : [database])])
    const startedAt = performance.now()
    // Later and later, because an import that came far leaves nothing new to the kills after it.
    const killMs = (longestMs * Math.min(killed + random(), kills)) / kills
    const timer = setTimeout(() => program.child.kill('SIGKILL'), killMs)
    const { code, stderr } = await program.ended
    clearTimeout(timer)
    expect(code ?? program.child.signalCode, stderr).toBe(code === null ? 'SIGKILL' : 0)
    const counted = await countVisitors()
    // The kills come later until they leave something.
    if (left.has(counted)) longestMs *= 1 + 5 / kills
    left.add(counted)
    if (code === null) {
      killed++
      continue
    }
    // The import ended before the kill. The next kills come within the duration of this import.
    all = counted
    longestMs = performance.now() - startedAt
  }
  const flags = ['--data', dataFolder, ...(database === undefined ? [] : ['--database', database])]
  const { code, stdout } = await runQuire(['visits', 'import', file, '--project', projectId, '--json', ...flags])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).lines).toBe(lines.length)
  all = await countVisitors()
  expect(countParts()).toBeGreaterThan(0)
  await ask(place, store => expectExact(store, projectId, lines))
}

/** Compares the counts of ranges with brute force. */
async function expectExact({ visits }: Store, projectId: string, lines: readonly string[]): Promise<void> {
  const ranges = [
    [from - 1, from + days + 1],
    [from, from + 1],
    [from + 3, from + 17],
    [from + 29, from + 99],
  ] as const
  const dates = ranges.map(([first, end]) => [formatDay(first), formatDay(end)] as const)
  const want = countByBruteForce(lines, nameDemoAgents(), dates, Date.now())
  for (const [i, [dateFrom, dateTo]] of ranges.entries()) {
    const window = { limit: 250, offset: 0 }
    const counted = await visits.countUniqueVisitors(projectId, { dateFrom, dateTo }, window)
    const pages = Object.fromEntries(counted.visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))
    const labels = toExactLabels(await visits.countLabels(projectId, { dateFrom, dateTo }))
    expect({ ...counted.totals, pages, labels }).toEqual(want[i])
  }
}

const postgres = await findPostgres()
const titleOn = (kind: 'SQLite' | 'PostgreSQL') =>
  `kill -9 at ${usualKills[kind]} random moments of an import, then a new import: the counts equal brute force, on ${kind}`

test(titleOn('SQLite'), { timeout: 900_000 }, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-import-kill-'))
  try {
    await killImports({ dataFolder }, usualKills.SQLite)
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
})

test.skipIf('missing' in postgres)(titleOn('PostgreSQL'), { timeout: 900_000 }, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-import-kill-'))
  const { url, drop } = await createTestDatabase((postgres as { url: string }).url)
  try {
    await killImports({ dataFolder, database: url }, usualKills.PostgreSQL)
  } finally {
    await drop()
    await rm(dataFolder, { recursive: true, force: true })
  }
})
