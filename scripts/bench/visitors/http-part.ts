import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { routes } from '../../../generated/operations.ts'
import { formatDay } from '../../../server/analytics/day.ts'
import { openStore } from '../../../server/store/store.ts'
import type { BenchData } from '../http/data.ts'
import { type ServerProcess, startServerProcess } from '../http/server-process.ts'
import type { ImportFigures } from './import-figures.ts'
import { importLog } from './import-part.ts'
import { request } from './paced-load.ts'
import { startPaced } from './paced-process.ts'
import { type Percentiles, toPercentiles } from './percentiles.ts'
import { type AnswerPage, countDifferences, type Question } from './question.ts'
import type { Counts } from './truth.ts'
import type { Exam } from './visits-part.ts'

/** Response times over HTTP. */
export interface HttpPart {
  /** getUniqueVisitors, one request at a time, each with a different range. */
  visitors: Percentiles & { serverCpuMs: number }
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
    BENCH_LOG_LEVEL: 'info',
    BENCH_LOG_FILE: join(scratch, 'server.log'),
  })
  const headers = { Authorization: `Bearer ${bench.key}` }
  try {
    onProgress('Measuring over HTTP ...')
    const { differences, ...visitors } = await askVisitors(server, headers, { data, bench, exams })
    const load = { url: server.url, headers, exchanges: bench.exchanges, everyMs }
    const calm = await startPaced(load)
    await sleep(idleMs)
    const idle = await calm.stop()
    if (!log) return { visitors, idle, differences }
    onProgress('Measuring agent jobs during an import ...')
    const busy = await startPaced(load)
    const projectId = bench.projectIds[1] as string
    const { figures } = await importLog(log.file, projectId, { data, scratch, lines: log.lines })
    return { visitors, idle, duringImport: { ...(await busy.stop()), import: figures }, differences }
  } finally {
    await server.close()
  }
}

async function askVisitors(
  server: ServerProcess,
  headers: Record<string, string>,
  { data, bench, exams }: Pick<Options, 'data' | 'bench' | 'exams'>,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const timesMs: number[] = []
  let differences = 0
  const cpuBefore = await server.readCpuSeconds()
  for (const [i, { question, want }] of mix(exams).entries()) {
    if (i % (budget?.quota ?? exams.length) === 0) await refillBudget(data, bench.organizationId)
    const startedAt = performance.now()
    const body = await request(server.url + toPath(bench.projectIds[0] as string, question), headers, agent)
    timesMs.push(performance.now() - startedAt)
    differences += countDifferences(toAnswer(JSON.parse(body)), want)
  }
  agent.destroy()
  const serverCpuMs = ((await server.readCpuSeconds()) - cpuBefore) * (1000 / exams.length)
  return { ...toPercentiles(timesMs), serverCpuMs, differences }
}

/** Orders the questions so that the lengths alternate. */
function mix<T>(items: readonly T[]): T[] {
  const parts = 4
  return items.map((_, i) => items[(i % parts) * Math.floor(items.length / parts) + Math.floor(i / parts)] as T)
}

/** Resets the used budget, because no setting changes the limit of 100 requests per hour and organization. */
async function refillBudget(data: string, organizationId: string): Promise<void> {
  if (!budget) return
  const store = openStore(data)
  await store.rateLimits.replace(organizationId, budget.budget, () => ({ arrivalAt: 0 }))
  store.close()
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
