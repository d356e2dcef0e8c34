import { readFileSync } from 'node:fs'
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listProcesses, type RunningProcess } from '../../base/processes.ts'
import type { RunLimits } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import { runVariable } from './plan-start.ts'

const watchEveryMs = 250
/** Ids of other processes are used again for those of the job, so the watch forgets them after this many rounds. */
const forgetEvery = 20
/** Files that a job may make. Each takes at least an inode. */
const maxFiles = 100_000

export interface JobWatch {
  pid: number
  folders: readonly string[]
  limits: Pick<RunLimits, 'memoryBytes' | 'processes' | 'diskBytes'>
  onExceeded(error: RunError): void
}

/** Watches what the descendants of a process use, and calls `onExceeded` once. */
export function watchJob({ pid, folders, limits, onExceeded }: JobWatch): { stop(): void } {
  const foreign = new Set<number>()
  const disk = watchDisk(folders, limits.diskBytes)
  let round = 0
  let isChecking = false
  const exceed = (what: string) => {
    clearInterval(timer)
    onExceeded(new RunError('resource_limit', `The agent used more than ${what}.`))
  }
  const check = async () => {
    if (++round % forgetEvery === 0) foreign.clear()
    const job = findDescendants(pid, foreign)
    if (job.length > limits.processes) return exceed(`${limits.processes} processes`)
    if (measureMemory(job, limits.memoryBytes) > limits.memoryBytes)
      return exceed(`${Math.round(limits.memoryBytes / 1024 ** 2)} MB of memory`)
    const files = await disk()
    if (files !== undefined) exceed(files)
  }
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    void check().finally(() => {
      isChecking = false
    })
  }, watchEveryMs)
  return { stop: () => clearInterval(timer) }
}

/** Finds a process and its descendants. Adds the others to `foreign`, whose ids are not read again. */
function findDescendants(root: number, foreign: Set<number>): RunningProcess[] {
  const read = listProcesses(pid => foreign.has(pid))
  const parents = new Map(read.map(process => [process.pid, process.parent]))
  const isInside = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = parents.get(at)) if (at === root) return true
    return false
  }
  const [inside, outside] = [read.filter(({ pid }) => isInside(pid)), read.filter(({ pid }) => !isInside(pid))]
  for (const { pid } of outside) foreign.add(pid)
  return inside
}

/**
 * Lists the processes of a job without a namespace: the descendants of the first one, and those whose environment has the id of the
 * run. A process that leaves both behind stays; only a confinement prevents that.
 */
export function listJobProcesses(root: number, runId: string): number[] {
  const marker = `${runVariable}=${runId}`
  const descendants = new Set(findDescendants(root, new Set()).map(({ pid }) => pid))
  return listProcesses()
    .map(({ pid }) => pid)
    .filter(pid => (descendants.has(pid) || hasVariable(pid, marker)) && !isZombie(pid))
}

const leftRounds = 100
const leftPauseMs = 20

/**
 * Ends the processes of jobs whose runner was killed: programs without a namespace, and a bubblewrap that waits forever because its
 * parent died while it made the namespace. They have the variable of a run, and a path below the folder of the jobs.
 */
export async function endLeftProcesses(workFolder: string): Promise<void> {
  const folder = `${resolve(workFolder)}/`
  const isLeft = (pid: number) => {
    const environment = read(`/proc/${pid}/environ`)
    if (!environment.split('\0').some(entry => entry.startsWith(`${runVariable}=`))) return false
    return (environment + read(`/proc/${pid}/cmdline`)).includes(folder) && !isZombie(pid)
  }
  for (let round = 0; round < leftRounds; round++) {
    const left = listProcesses().filter(({ pid }) => isLeft(pid))
    if (left.length === 0) return
    for (const { pid } of left) sendKill(pid)
    await pause(leftPauseMs)
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended, or belongs to another user.
  }
}

export const sendKill = (pid: number) => sendSignal(pid, 'SIGKILL')

function hasVariable(pid: number, entry: string): boolean {
  return read(`/proc/${pid}/environ`).split('\0').includes(entry)
}

/** It has ended, and its parent has not been told yet. */
function isZombie(pid: number): boolean {
  return /\) Z /.test(read(`/proc/${pid}/stat`))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Counts memory that processes share only once, as far as the simple sum exceeds the limit. Takes a few ms then. */
function measureMemory(job: readonly RunningProcess[], limit: number): number {
  const resident = job.reduce((sum, { residentPages }) => sum + residentPages * pageBytes(), 0)
  if (resident <= limit) return resident
  return job.reduce((sum, { pid, residentPages }) => {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]
    return sum + (kilobytes === undefined ? residentPages * pageBytes() : Number(kilobytes) * 1024)
  }, 0)
}

let knownPageBytes: number | undefined

/** Node does not tell the size of a page, but the memory of this process in both units. */
function pageBytes(): number {
  if (knownPageBytes === undefined) {
    const pages = Number(read('/proc/self/statm').split(' ')[1])
    knownPageBytes = pages > 0 ? 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages)) : 4096
  }
  return knownPageBytes
}

/**
 * Returns a function that tells which limit of the disk the job exceeds. It looks at the files only after the free space of the disk
 * became smaller, because a walk takes long.
 */
function watchDisk(folders: readonly string[], diskBytes: number): () => Promise<string | undefined> {
  const startedAt = Date.now()
  let free: { bytes: number; files: number } | undefined
  return async () => {
    const now = await measureFree(folders[0] ?? '/').catch(() => undefined)
    if (now === undefined) return undefined
    free ??= now
    const isUsed = free.bytes - now.bytes > diskBytes / 2 || free.files - now.files > maxFiles / 2
    if (!isUsed) return undefined
    free = now
    const used = { bytes: 0, files: 0 }
    for (const folder of folders) await addFiles(folder, startedAt, used, diskBytes)
    if (used.bytes > diskBytes) return `${Math.round(diskBytes / 1024 ** 2)} MB of disk`
    return used.files > maxFiles ? `${maxFiles} files` : undefined
  }
}

async function measureFree(folder: string) {
  const { bavail, bsize, ffree } = await statfs(folder)
  return { bytes: bavail * bsize, files: ffree }
}

/** Adds the files that changed since then, until a limit is reached. */
async function addFiles(folder: string, since: number, used: { bytes: number; files: number }, maxBytes: number) {
  try {
    for await (const entry of await opendir(folder)) {
      if (used.bytes > maxBytes || used.files > maxFiles) return
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await addFiles(path, since, used, maxBytes)
      const stats = await lstat(path).catch(() => undefined)
      if (stats === undefined || stats.ctimeMs < since) continue
      used.files++
      used.bytes += stats.blocks * 512
    }
  } catch {
    // The job removed the folder.
  }
}
