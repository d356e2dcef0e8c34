import { spawn } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { listTree, readCpuSeconds, readMemory } from './process-tree.ts'

export interface MeasuredRun {
  /** Null when the program was stopped at its time limit. */
  exitCode: number | null
  stdout: string
  wallSeconds: number
  /** User and system time of the process and the children it waited for; undefined where it cannot be measured. */
  cpuSeconds?: number
  /** User and system time of the process and all its descendants, sampled: the browser does not wait for its processes. */
  treeCpuSeconds?: number
  /** Peak memory of the process itself. */
  peakBytes?: number
  /** Peak memory of the process or one of its children, recorded by the kernel without sampling. */
  maxRssBytes?: number
  /** Peak memory of the process and all its descendants, such as a browser, at one time. */
  peakTreeBytes?: number
  /** Memory of the process itself, sampled several times a second. */
  heldBytes: number[]
}

interface RunOptions {
  logFile: string
  timeoutMs: number
  folder: string
  /** Further variables of its environment. */
  env?: Record<string, string>
}

const timeProgram = '/usr/bin/time'
const sampleMs = 100

/** Describes the end of a failed run, for an error message. */
export function describeEnd({ exitCode }: Pick<MeasuredRun, 'exitCode'>): string {
  return exitCode === null ? 'was stopped at its time limit' : `exited with code ${exitCode}`
}

/** Runs a program. After the time limit, kills it and all its descendants. Writes its standard error to `logFile`. */
export async function runMeasured(
  command: string,
  args: readonly string[],
  { logFile, timeoutMs, folder, env = {} }: RunOptions,
): Promise<MeasuredRun> {
  const timeFile = `${logFile}.time`
  const isTimed = process.platform === 'linux' && existsSync(timeProgram)
  const [program, programArgs] = isTimed
    ? [timeProgram, ['-o', timeFile, '-f', '%U %S %M', command, ...args]]
    : [command, [...args]]
  const log = createWriteStream(logFile)
  const startedAt = performance.now()
  const child = spawn(program, programArgs, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.pipe(log)
  const parts: Buffer[] = []
  child.stdout.on('data', part => parts.push(part))
  const pid = child.pid ?? -1
  let isEnded = false
  let isLate = false
  const ended = new Promise<number | null>((done, failed) => {
    child.on('error', failed).on('close', code => done(code))
  }).finally(() => {
    isEnded = true
  })
  // No process may outlive the benchmark when a signal ends it.
  const endWithUs = () => signal(listTree(pid), 'SIGKILL')
  process.once('exit', endWithUs)
  const limit = setTimeout(() => {
    isLate = true
    void endTree(pid, isTimed)
  }, timeoutMs)

  let peakBytes = 0
  let peakTreeBytes = 0
  const heldBytes: number[] = []
  const cpu = new Map<number, number>()
  const sampling = (async () => {
    while (!isEnded) {
      const tree = listTree(pid)
      for (const each of tree) cpu.set(each, Math.max(cpu.get(each) ?? 0, readCpuSeconds(each)))
      const main = isTimed ? tree[1] : pid
      const memory = main === undefined ? undefined : readMemory(main)
      if (memory) heldBytes.push(memory.mainBytes)
      peakBytes = Math.max(peakBytes, memory?.mainPeakBytes ?? 0)
      peakTreeBytes = Math.max(peakTreeBytes, memory?.treeBytes ?? 0)
      await Promise.race([sleep(sampleMs), ended.catch(() => {})])
    }
  })()
  const exitCode = await ended.finally(() => {
    clearTimeout(limit)
    process.off('exit', endWithUs)
  })
  const wallSeconds = (performance.now() - startedAt) / 1000
  await sampling
  const [user, system, maxRssKb] = isTimed && !isLate ? await readTimes(timeFile) : []
  return {
    exitCode: isLate ? null : exitCode,
    stdout: Buffer.concat(parts).toString(),
    wallSeconds,
    heldBytes,
    ...(user === undefined || system === undefined ? {} : { cpuSeconds: user + system }),
    ...(maxRssKb === undefined ? {} : { maxRssBytes: maxRssKb * 1024 }),
    ...(peakBytes === 0 ? {} : { peakBytes, peakTreeBytes }),
    ...(cpu.size === 0 ? {} : { treeCpuSeconds: [...cpu.values()].reduce((a, b) => a + b, 0) }),
  }
}

/** Sends SIGTERM first, so that a program can close its browser. */
async function endTree(pid: number, isTimed: boolean): Promise<void> {
  const tree = listTree(pid)
  const processes = tree.slice(isTimed ? 1 : 0)
  signal(processes.slice(0, 1), 'SIGTERM')
  await sleep(3000)
  signal([...new Set([...processes, ...listTree(pid)])], 'SIGKILL')
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has already exited.
    }
  }
}

/** Reads the figures from the last line. A line about a failed exit code may precede it. */
async function readTimes(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
}
