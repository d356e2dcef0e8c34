import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Day, formatDay } from '../../server/analytics/day.ts'
import { importAccessLog } from '../../server/analytics/import/import-log.ts'
import { type AccessLogOptions, generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openStore, type SqliteStore } from '../../server/store/store.ts'
import { type BruteCount, countByBruteForce, toExactLabels } from './brute-force.ts'
import { nameDemoAgents } from './demo-agent-names.ts'

const from = 20_700
const days = 40
const now = Date.UTC(2026, 10, 20)

/** First day and the day after the last: the whole log, nothing, days, weeks, months, and beyond both ends of the log. */
const ranges: readonly (readonly [Day, Day])[] = [
  [from - 1, from + days + 1],
  [from, from + 1],
  [from + 7, from + 8],
  [from + days - 1, from + days + 1],
  [from, from + 7],
  [from + 3, from + 17],
  [from + 10, from + 40],
  [from + 33, from + 99],
  [from - 50, from],
  [from + 20, from + 20],
]

export interface Comparison {
  /** Counts of each range: `got` from the database, page by page, with the query of the API; `want` by brute force. */
  got: BruteCount[]
  want: BruteCount[]
  lines: number
  importSeconds: number
  /** Time of one query for all days. */
  querySeconds: number
}

/** Imports generated logs of servers in two time zones, one plain and one compressed, and counts them in both ways. */
export async function compareCounts(lines: number): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-counts-'))
  const store = openStore(folder)
  try {
    store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: now })
    const project = {
      id: 'prj_1',
      organizationId: 'org_1',
      name: 'Docs',
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: now,
    } as const
    store.projects.insert(project)
    const paths = ['/', ...Array.from({ length: 300 }, (_, i) => `/${['guide', 'v1.2', 'api/3.11'][i % 3]}/page-${i}`)]
    const half = { lines: lines / 2, from, to: from + days, paths }
    const inIndia = { ...half, seed: 1, offsetMinutes: 330 }
    const inCalifornia = { ...half, seed: 2, offsetMinutes: -480 }
    const files = [join(folder, 'a.log'), join(folder, 'b.log.gz')] as const
    await pipeline(Readable.from(toText(inIndia)), createWriteStream(files[0]))
    await pipeline(Readable.from(toText(inCalifornia)), createGzip({ level: 1 }), createWriteStream(files[1]))

    const startedAt = performance.now()
    let imported = 0
    for (const file of files) {
      imported += (await importAccessLog({ file, project, visits: store.visits, now: () => now })).lines
    }
    const importSeconds = (performance.now() - startedAt) / 1000
    const got: BruteCount[] = []
    for (const range of ranges) got.push(await countAllPages(store.visits, project.id, range))
    const queriedAt = performance.now()
    await store.visits.countUniqueVisitors(project.id, {}, { limit: 250, offset: 0 })
    const querySeconds = (performance.now() - queriedAt) / 1000

    const truth = nameDemoAgents()
    const dates = ranges.map(([first, end]) => [formatDay(first), formatDay(end)] as const)
    const want = countByBruteForce(bothOf(inIndia, inCalifornia), truth, dates, now)
    return { got, want, lines: imported, importSeconds, querySeconds }
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function* bothOf(first: AccessLogOptions, second: AccessLogOptions): Generator<string> {
  yield* generateAccessLog(first)
  yield* generateAccessLog(second)
}

/** Yields many lines at once, because one write per line is slow. */
function* toText(options: AccessLogOptions): Generator<string> {
  let text = ''
  for (const line of generateAccessLog(options)) {
    text += `${line}\n`
    if (text.length < 100_000) continue
    yield text
    text = ''
  }
  yield text
}

/** Requests page after page until there are no more, as a client does. */
async function countAllPages(
  visits: SqliteStore['visits'],
  projectId: string,
  [dateFrom, dateTo]: readonly [Day, Day],
): Promise<BruteCount> {
  const limit = 70
  const pages: BruteCount['pages'] = {}
  for (let offset = 0; ; offset += limit) {
    const answer = await visits.countUniqueVisitors(projectId, { dateFrom, dateTo }, { limit, offset })
    for (const { path, human, ai, total } of answer.visitors) pages[path] = [human, ai, total]
    if (answer.hasMore) continue
    const labels = toExactLabels(visits.countLabels(projectId, { dateFrom, dateTo }))
    return { ...answer.totals, pages, labels }
  }
}
