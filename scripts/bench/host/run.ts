import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { installDebian } from '../export/make-site.ts'
import { runTool } from '../export/run-tool.ts'
import { serveStatic } from '../export/static-server.ts'
import { type Exchange, type Load, runLoad } from '../http/load.ts'
import { type HostUnderTest, readCpuSeconds } from './host-under-test.ts'
import { program as nginx, startNginx } from './nginx.ts'

const main = resolve(import.meta.dirname, '../../../server/main.ts')
const pythonDocs = '/usr/share/doc/python3.11/html'

export interface HostPlan {
  rounds: number
  seconds: number
  connections: number
}

export interface HostRun {
  name: string
  loads: Load[]
  /** CPU time of the server in all rounds. */
  cpuSeconds: number
}

export interface HostFigures {
  pages: number
  runs: HostRun[]
  /** From the start of the process to the first page, on a folder with a version and a link that has expired. */
  restartSeconds: number
  /** Peak memory of the host over the whole run. */
  peakMb: number
}

/**
 * Serves the bundle of the Python docs with the host and with nginx, with the same gzip files, and sends the same load to both in
 * turns. Every body is compared.
 */
export async function runHosts(plan: HostPlan, note: (text: string) => void): Promise<HostFigures> {
  const scratch = await mkdtemp(join(tmpdir(), 'quire-bench-host-'))
  const started: HostUnderTest[] = []
  try {
    await installDebian(['nginx-light'], nginx, scratch)
    await installDebian(['python3.11-doc'], pythonDocs, scratch)
    note('Exporting the Python docs ...')
    const bundle = await exportPython(scratch)
    const data = join(scratch, 'data')
    const host = await startHost([bundle, '--data', data])
    started.push(host)
    const version = await findVersion(data)
    started.push(await startNginx(version, scratch))
    const exchanges = await listExchanges(version)
    const headers = { Accept: '*/*', 'Accept-Encoding': 'gzip', 'User-Agent': 'bench', Connection: 'keep-alive' }
    const load = ({ url }: HostUnderTest, seconds: number) =>
      runLoad(url, headers, exchanges, { connections: plan.connections, seconds })
    const runs = started.map(({ name }): HostRun => ({ name, loads: [], cpuSeconds: 0 }))
    for (const each of started) await load(each, 2)
    for (let round = 1; round <= plan.rounds; round += 1) {
      note(`Round ${round} of ${plan.rounds} ...`)
      for (const [index, each] of started.entries()) {
        const run = runs[index] as HostRun
        const before = await readCpuSeconds(each.pid)
        run.loads.push(await load(each, plan.seconds))
        run.cpuSeconds += (await readCpuSeconds(each.pid)) - before
      }
    }
    const peakMb = await readPeakMb(host.child)
    await host.close()
    return { pages: exchanges.length, runs, peakMb, restartSeconds: await measureRestart(data) }
  } finally {
    for (const each of started) await each.close()
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function exportPython(scratch: string): Promise<string> {
  const origin = await serveStatic(pythonDocs)
  const bundle = join(scratch, 'python.zip')
  try {
    const args = [main, 'export', origin.root.href, '-o', bundle, '--verify', 'static']
    await runTool(process.execPath, args, { folder: scratch, log: 'export.log' })
    return bundle
  } finally {
    await origin.close()
  }
}

interface RunningHost extends HostUnderTest {
  child: ChildProcess
}

async function startHost(args: readonly string[], env: Record<string, string> = {}): Promise<RunningHost> {
  const child = spawn(
    process.execPath,
    [main, 'host', '--port', '0', '--drain-seconds', '0', '--log-style', 'json', ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    },
  )
  let output = ''
  const url = await new Promise<string>((done, failed) => {
    let found: string | undefined
    child.stdout.on('data', chunk => {
      output += chunk
      found ??= /"url":"([^"]+)"/.exec(output)?.[1]
      if (found !== undefined && output.includes('serving a version')) done(found)
    })
    child.once('exit', code => failed(new OperatorError(`quire host ended with ${code}: ${output}`)))
  })
  return {
    name: 'quire host',
    url,
    child,
    pid: child.pid as number,
    close: () =>
      new Promise(done => {
        if (child.exitCode !== null || child.signalCode !== null) return done()
        child.once('exit', () => done())
        child.kill('SIGTERM')
      }),
  }
}

async function findVersion(data: string): Promise<string> {
  const [id = ''] = await readdir(join(data, 'versions'))
  return join(data, 'versions', id)
}

/** All pages, with the bodies that a client gets that accepts gzip. */
async function listExchanges(version: string): Promise<Exchange[]> {
  const names = (await readdir(join(version, 'files'), { recursive: true }))
    .filter(name => name.endsWith('.html'))
    .sort()
  const bodies = names.map(async name => {
    const packed = await readFile(join(version, 'gzip', name)).catch(() => null)
    return packed ?? (await readFile(join(version, 'files', name)))
  })
  const read = await Promise.all(bodies)
  return names.map((name, index) => ({ path: `/${name}`, body: read[index] as Buffer }))
}

/** Starts the host with a link that nobody answers. */
async function measureRestart(data: string): Promise<number> {
  const startedAt = performance.now()
  const host = await startHost(['--data', data, '--fetch-retries', '0'], {
    QUIRE_HOST_BUNDLE: 'http://127.0.0.1:9/gone.zip',
  })
  const answer = await fetch(host.url)
  const seconds = (performance.now() - startedAt) / 1000
  await host.close()
  if (!answer.ok) throw new OperatorError(`The restarted host answers ${answer.status}.`)
  return seconds
}

async function readPeakMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}
