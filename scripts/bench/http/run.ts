import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contestants, onPostgres } from './contestants.ts'
import { createData } from './data.ts'
import { type Load, runLoad } from './load.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export interface Plan {
  rounds: number
  seconds: number
  warmUpSeconds: number
  connections: number
  jobs: number
  /** The address of a PostgreSQL; undefined = without it. */
  database?: string
}

/** One server in one round. */
export interface Sample extends Load {
  serverCpuSeconds: number
  generatorCpuSeconds: number
}

/** All measurements of one server, in the order of the rounds. */
export interface Run {
  name: string
  samples: Sample[]
}

/**
 * Sends the same load to each server in turn, in several rounds, with one database. All servers run during the whole run, and
 * the rounds alternate between them, so that other work on the machine affects all of them equally.
 *
 * @throws {Error} when a server gives a wrong answer, or accepts a request that it must refuse.
 */
export async function runRounds(plan: Plan, onRound: (round: number) => void): Promise<Run[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', removeFolder) // after a signal, `finally` does not run
  const started: { server: ServerProcess; run: Run }[] = []
  try {
    const dataFolder = join(folder, 'data')
    const { key, exchanges } = await createData(dataFolder, plan.jobs, plan.database)
    // Headers that HTTP clients send by default.
    const headers = { Authorization: `Bearer ${key}`, Accept: '*/*', 'User-Agent': 'bench', Connection: 'keep-alive' }
    const load = (server: ServerProcess, seconds: number) =>
      runLoad(server.url, headers, exchanges, { connections: plan.connections, seconds })

    const all = plan.database === undefined ? contestants : [...contestants, onPostgres]
    for (const [i, contestant] of all.entries()) {
      const server = await startServerProcess(contestant.file, {
        BENCH_DATA: dataFolder,
        BENCH_DATABASE: (contestant.usesPostgres && plan.database) || '',
        BENCH_LOG_LEVEL: contestant.logLevel,
        BENCH_LOG_FILE: join(folder, `${i}.log`),
        BENCH_METRICS: contestant.hasMetrics ? '1' : '',
      })
      started.push({ server, run: { name: contestant.name, samples: [] } })
      if (contestant.checksRequests) await expectRefusals(server.url, exchanges[0]?.path ?? '', key)
    }
    for (const { server } of started) await load(server, plan.warmUpSeconds)

    for (let round = 1; round <= plan.rounds; round++) {
      onRound(round)
      for (const { server, run } of started) run.samples.push(await measure(server, () => load(server, plan.seconds)))
    }
    return started.map(({ run }) => run)
  } finally {
    for (const { server } of started) await server.close()
    removeFolder()
    process.off('exit', removeFolder)
  }
}

async function measure(server: ServerProcess, load: () => Promise<Load>): Promise<Sample> {
  const serverBefore = await server.readCpuSeconds()
  const generatorBefore = process.cpuUsage()
  const result = await load()
  const generator = process.cpuUsage(generatorBefore)
  return {
    ...result,
    serverCpuSeconds: (await server.readCpuSeconds()) - serverBefore,
    generatorCpuSeconds: (generator.user + generator.system) / 1e6,
  }
}

/** Checks that the server checks keys and validates requests. Without these checks, a server would be faster. */
async function expectRefusals(url: string, path: string, key: string): Promise<void> {
  const typo = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
  for (const [target, authorization, status] of [
    [path, undefined, 401],
    [path, `Bearer ${typo}`, 401],
    [`${path}?unknown=1`, `Bearer ${key}`, 400],
  ] as const) {
    const answer = await fetch(url + target, authorization ? { headers: { Authorization: authorization } } : {})
    await answer.arrayBuffer()
    if (answer.status !== status) throw new Error(`GET ${target}: expected ${status}, got ${answer.status}.`)
  }
}
