import { spawn } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { listTree, readMemory } from './process-tree.ts'

export interface MeasuredRun {
  /** Null when it was stopped at its time limit. */
  exitCode: number | null
  stdout: string
  wallSeconds: number
  /** User and system, of it and all it waited for. Undefined where it cannot be had. */
  cpuSeconds?: number
  /** Most memory of the process itself. */
  peakBytes?: number
  /** Most memory of it or of one it started, as the kernel keeps account: no moment is missed. */
  maxRssBytes?: number
  /** Most memory of it and all it started at one time, such as a browser. */
  peakTreeBytes?: number
  /** What the process itself held, some times a second from its start to its end. */
  heldBytes: number[]
}

const timeProgram = '/usr/bin/time'
const sampleMs = 250

/** Runs a program with a time limit, at which it and everything it started is ended; its messages go to `logFile`. */
export async function runMeasured(
  command: string,
  args: readonly string[],
  { logFile, timeoutMs, folder }: { logFile: string; timeoutMs: number; folder: string },
): Promise<MeasuredRun> {
  const timeFile = `${logFile}.time`
  const isTimed = process.platform === 'linux' && existsSync(timeProgram)
  const [program, programArgs] = isTimed
    ? [timeProgram, ['-o', timeFile, '-f', '%U %S %M', command, ...args]]
    : [command, [...args]]
  const log = createWriteStream(logFile)
  const startedAt = performance.now()
  const child = spawn(program, programArgs, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
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
  // Nothing may outlive the bench when a signal ends it.
  const endWithUs = () => signal(listTree(pid), 'SIGKILL')
  process.once('exit', endWithUs)
  const limit = setTimeout(() => {
    isLate = true
    void endTree(pid, isTimed)
  }, timeoutMs)

  let peakBytes = 0
  let peakTreeBytes = 0
  const heldBytes: number[] = []
  const sampling = (async () => {
    while (!isEnded) {
      const main = isTimed ? listTree(pid)[1] : pid
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
  }
}

/** Asks first: what drives a browser closes it then. */
async function endTree(pid: number, isTimed: boolean): Promise<void> {
  const tree = listTree(pid)
  const told = tree.slice(isTimed ? 1 : 0)
  signal(told.slice(0, 1), 'SIGTERM')
  await sleep(3000)
  signal([...new Set([...told, ...listTree(pid)])], 'SIGKILL')
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
  }
}

/** The last line holds the figures; one about a bad exit code may come first. */
async function readTimes(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
}
