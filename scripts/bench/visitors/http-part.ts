import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { routes } from '../../../generated/operations.ts'
import { formatDay } from '../../../server/analytics/day.ts'
import { openDatabase } from '../../../server/store/database.ts'
import type { BenchData } from '../http/data.ts'
import { type ServerProcess, startServerProcess } from '../http/server-process.ts'
import type { ImportFigures } from '../measured-script.ts'
import { median } from '../report.ts'
import { importLog } from './import-part.ts'
import { request } from './paced-load.ts'
import { startPaced } from './paced-process.ts'
import { type Percentiles, toPercentiles } from './percentiles.ts'
import { type AnswerPage, countDifferences, type Question } from './question.ts'
import { type Length, lengths } from './ranges.ts'
import type { Counts } from './truth.ts'
import type { Exam } from './visits-part.ts'

/** Response times over HTTP. */
export interface HttpPart {
  /** getUniqueVisitors, one request at a time, each with a different range. */
  visitors: Percentiles
  /** The same by the length of the range, with the median of the server's CPU time. */
  lengths: (Percentiles & { length: Length; serverCpuMs: number })[]
  /** getAgentJob, 100 requests per second. */
  idle: Percentiles
  /** getAgentJob, while a separate process imports a log into another project of the same data folder. */
  duringImport?: Percentiles & { import: ImportFigures }
  differences: number
}

interface Options {
  data: string
  bench: BenchData
  exams: readonly Exam[]
  /** Absent when no log was written. */
  log?: { file: string; lines: number }
  scratch: string
  onProgress(text: string): void
}

const everyMs = 10
const idleMs = 5000
const budget = routes.find(({ operationId }) => operationId === 'getUniqueVisitors')?.rateLimit

/** Runs `quire serve` with default settings on a data folder and measures it over HTTP. */
export async function measureHttp({ data, bench, exams, log, scratch, onProgress }: Options): Promise<HttpPart> {
  const server = await startServerProcess('quire.ts', {
    BENCH_DATA: data,
    BENCH_DATABASE: '',
    BENCH_LOG_LEVEL: 'info',
    BENCH_LOG_FILE: join(scratch, 'server.log'),
  })
  const headers = { Authorization: `Bearer ${bench.key}` }
  try {
    onProgress('Measuring over HTTP ...')
    const asked = await askVisitors(server, headers, { data, bench, exams })
    const load = { url: server.url, headers, exchanges: bench.exchanges, everyMs }
    const calm = await startPaced(load)
    await sleep(idleMs)
    const idle = await calm.stop()
    if (!log) return { ...asked, idle }
    onProgress('Measuring agent jobs during an import ...')
    const busy = await startPaced(load)
    const projectId = bench.projectIds[1] as string
    const { figures } = await importLog(log.file, projectId, { data, scratch, lines: log.lines })
    return { ...asked, idle, duringImport: { ...(await busy.stop()), import: figures } }
  } finally {
    await server.close()
  }
}

async function askVisitors(
  server: ServerProcess,
  headers: Record<string, string>,
  { data, bench, exams }: Pick<Options, 'data' | 'bench' | 'exams'>,
): Promise<Pick<HttpPart, 'visitors' | 'lengths' | 'differences'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const results: { length: Length; ms: number; cpuMs: number }[] = []
  let differences = 0
  for (const [i, { length, question, want }] of exams.entries()) {
    if (i % (budget?.quota ?? exams.length) === 0) refillBudget(data, bench.organizationId)
    const cpuBefore = await server.readCpuSeconds()
    const startedAt = performance.now()
    const body = await request(server.url + toPath(bench.projectIds[0] as string, question), headers, agent)
    const ms = performance.now() - startedAt
    results.push({ length, ms, cpuMs: ((await server.readCpuSeconds()) - cpuBefore) * 1000 })
    differences += countDifferences(toAnswer(JSON.parse(body)), want)
  }
  agent.destroy()
  return {
    visitors: toPercentiles(results.map(({ ms }) => ms)),
    lengths: lengths.map(length => {
      const some = results.filter(each => each.length === length)
      return { length, ...toPercentiles(some.map(({ ms }) => ms)), serverCpuMs: median(some.map(({ cpuMs }) => cpuMs)) }
    }),
    differences,
  }
}

/** Resets the used budget, because no setting changes the limit of 100 requests per hour and organization. */
function refillBudget(data: string, organizationId: string): void {
  const database = openDatabase(join(data, 'quire.db'))
  database.prepare('DELETE FROM rate_limits WHERE organization_id = ?').run(organizationId)
  database.close()
}

function toPath(projectId: string, { range, limit, offset }: Question): string {
  const query = `dateFrom=${formatDay(range.from)}&dateTo=${formatDay(range.to)}&limit=${limit}&offset=${offset}`
  return `/v1/analytics/${projectId}/visitors?${query}`
}

interface Body {
  totals: Record<'human' | 'ai' | 'total', number>
  visitors: (Record<'human' | 'ai' | 'total', number> & { path: string })[]
  hasMore: boolean
}

function toAnswer({ totals, visitors, hasMore }: Body): AnswerPage {
  const counts = ({ human, ai, total }: Body['totals']): Counts => [human, ai, total]
  return { site: counts(totals), pages: visitors.map(page => ({ path: page.path, counts: counts(page) })), hasMore }
}
