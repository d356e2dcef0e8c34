import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { formatDay } from '../../server/analytics/day.ts'
import { generateAccessLog } from '../../server/demo/access-log.ts'
import { openStore } from '../../server/store/store.ts'
import { countByBruteForce } from '../analytics/brute-force.ts'
import { nameDemoAgents } from '../analytics/demo-agent-names.ts'
import { runQuire } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { createOrganization } from '../support/server.ts'

const random = createRandom('kills')
const kills = 50
const from = 20_500
const days = 60
const importer = join(import.meta.dirname, 'import-in-batches.ts')

test(`kill -9 at ${kills} random moments of an import, then a new import: the counts equal brute force`, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-import-kill-'))
  const file = join(dataFolder, 'access.log')
  const paths = Array.from({ length: 200 }, (_, i) => `/guide/page-${i}`)
  const lines = [...generateAccessLog({ seed: 7, lines: 1_000_000, from, to: from + days, paths })]
  await pipeline(Readable.from(lines.map(line => `${line}\n`)), createWriteStream(file))
  const store = openStore(dataFolder)
  const { projectId } = await createOrganization(store)
  store.close()
  const countVisitors = async () => {
    const counted = openStore(dataFolder)
    const { totals } = await counted.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })
    counted.close()
    return totals.total
  }

  try {
    let killed = 0
    const left = new Set<number>()
    let longestMs = 4000
    for (let attempt = 0; killed < kills; attempt++) {
      const program = startProgram([importer, file, projectId, dataFolder])
      const startedAt = performance.now()
      // Later and later, because an import that came far leaves nothing new to the kills after it.
      const killMs = (longestMs * (killed + random())) / kills
      const timer = setTimeout(() => program.child.kill('SIGKILL'), killMs)
      const { code, stderr } = await program.ended
      clearTimeout(timer)
      expect(code ?? program.child.signalCode, stderr).toBe(code === null ? 'SIGKILL' : 0)
      left.add(await countVisitors())
      // The import ended before the kill. The next kills come within the duration of this import.
      if (code === 0) longestMs = performance.now() - startedAt
      else killed++
      expect(attempt).toBeLessThan(kills * 3)
    }
    const args = ['visits', 'import', file, '--project', projectId, '--data', dataFolder, '--json']
    const { code, stdout } = await runQuire(args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).lines).toBe(lines.length)
    // The kills left different parts of the import.
    const all = await countVisitors()
    expect([...left].filter(total => total > 0 && total < all).length).toBeGreaterThan(1)

    const ranges = [
      [from - 1, from + days + 1],
      [from, from + 1],
      [from + 3, from + 17],
      [from + 29, from + 99],
    ] as const
    const truth = nameDemoAgents()
    const dates = ranges.map(([first, end]) => [formatDay(first), formatDay(end)] as const)
    const want = countByBruteForce(lines, truth, dates, Date.now())
    const again = openStore(dataFolder)
    for (const [i, [dateFrom, dateTo]] of ranges.entries()) {
      const window = { limit: 250, offset: 0 }
      const { totals, visitors } = await again.visits.countUniqueVisitors(projectId, { dateFrom, dateTo }, window)
      const pages = Object.fromEntries(visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))
      const labels = Object.fromEntries(again.visits.countRange(projectId, { dateFrom, dateTo }).labels)
      expect({ ...totals, pages, labels }).toEqual(want[i])
    }
    again.close()
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
}, 900_000)
