import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { createData } from './http/data.ts'
import { startServerProcess } from './http/server-process.ts'
import { conditionsText, describeMachine, numberOption, toTable } from './report.ts'
import { importLog } from './visitors/import-part.ts'
import { startPaced } from './visitors/paced-process.ts'
import { firstDay } from './visitors/plan.ts'

interface Flags {
  lines: number
  batch: number
}

const days = 30
const manySenders = 20
/** Lines per CPU second, relative to `quire visits import`. */
const leastShare = 0.6
const mostP99Ms = 50

export function receiveCommand(): Command {
  return new Command('receive')
    .description('send batches of log lines to quire serve, and compare the CPU time with quire visits import')
    .addOption(
      numberOption(
        '--lines',
        'lines of the log, a half for new and a half for returning visitors',
        1_000_000,
        [2000, 10_000_000],
      ),
    )
    .addOption(numberOption('--batch', 'lines of a batch', 5000, [1, 50_000]))
    .addHelpText(
      'after',
      `
The CPU time of the server includes HTTP, that of the import includes its start, so with few lines the import looks slow. Each case has
a separate project.

Examples:
  npm run bench -- receive
  npm run bench -- receive --lines 200000 --batch 1000`,
    )
    .action(run)
}

async function run({ lines, batch }: Flags): Promise<void> {
  const before = loadavg()[0] ?? 0
  const scratch = mkdtempSync(join(tmpdir(), 'quire-receive-'))
  try {
    const paths = ['/', ...Array.from({ length: 400 }, (_, i) => `/guide/page-${i}`)]
    const log = [...generateAccessLog({ seed: 5, lines, from: firstDay, to: firstDay + days, paths })]
    const middle = Math.floor(lines / 2)
    const halves = [log.slice(0, middle), log.slice(middle)] as const
    const imports = await importHalves(halves, scratch)
    const data = join(scratch, 'data')
    const bench = await createData(data, 1000)
    const logFile = join(scratch, 'server.log')
    const settings = { BENCH_DATA: data, BENCH_DATABASE: '', BENCH_LOG_LEVEL: 'info', BENCH_LOG_FILE: logFile }
    const server = await startServerProcess('quire.ts', settings)
    const headers = { Authorization: `Bearer ${bench.key}` }
    const rows = [['senders', 'visitors', 'lines/s', 'lines/CPU s', 'share of the import']]
    try {
      const target = (project: number) => `${server.url}/quire/v1/projects/${bench.projectIds[project]}/visits`
      // Starts the thread.
      await sendAll(target(0), headers, [log.slice(0, 100)], 1)
      for (const [project, senders] of [1, manySenders].entries()) {
        for (const [half, name] of ['new', 'returning'].entries()) {
          const [cpuBefore, startedAt] = [await server.readCpuSeconds(), performance.now()]
          await sendAll(target(project + 1), headers, toBatches(halves[half] ?? [], batch), senders)
          const perSecond = (middle * 1000) / (performance.now() - startedAt)
          const perCpu = middle / ((await server.readCpuSeconds()) - cpuBefore)
          const share = (perCpu / (imports[half] as number)).toFixed(2)
          rows.push([`${senders}`, name, perSecond.toFixed(0), perCpu.toFixed(0), share])
        }
      }
      const load = { url: server.url, headers, exchanges: bench.exchanges, everyMs: 10 }
      const calm = await startPaced(load)
      await new Promise(done => setTimeout(done, 3000))
      const idle = await calm.stop()
      const paced = await startPaced(load)
      await sendAll(target(3), headers, toBatches(log, batch), manySenders)
      const busy = await paced.stop()
      console.log(`${conditionsText(describeMachine(before))} ${lines} lines, batches of ${batch}.\n`)
      console.log(toTable(rows).join('\n'))
      const [least, p99] = [Math.min(...rows.slice(1).map(row => Number(row[4]))), busy.p99Ms]
      console.log(`\n- least share of the import: ${least}, at least ${leastShare}: ${verdict(least >= leastShare)}`)
      console.log(
        `- getAgentJob, p99 ms beside ${manySenders} senders: ${p99.toFixed(0)} of ${busy.requests} requests (alone ` +
          `${idle.p99Ms.toFixed(0)}), under ${mostP99Ms}: ${verdict(p99 < mostP99Ms)}`,
      )
    } finally {
      await server.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Imports both halves into one project, one after the other. Returns lines per CPU second. */
async function importHalves(halves: readonly (readonly string[])[], scratch: string): Promise<number[]> {
  const data = join(scratch, 'imported')
  const { projectIds } = await createData(data, 1)
  const shares: number[] = []
  for (const lines of halves) {
    const file = join(scratch, 'access.log')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const options = { data, scratch, lines: lines.length }
    shares.push((await importLog(file, projectIds[0] as string, options)).figures.linesPerCpuSecond)
  }
  return shares
}

function toBatches(lines: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(lines.length / size) }, (_, i) => lines.slice(i * size, (i + 1) * size))
}

/** Each sender waits for its answer before it sends its next batch. */
async function sendAll(url: string, headers: Record<string, string>, batches: string[][], senders: number) {
  const left = batches.values()
  const send = async () => {
    for (const lines of left) {
      const response = await fetch(url, { method: 'POST', headers, body: `${lines.join('\n')}\n` })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
      const { lines: answered } = JSON.parse(text)
      if (answered !== lines.length) throw new Error(`${answered} of ${lines.length} lines are in the answer.`)
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'missed'
}
