import { readFileSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { listProcesses } from '../base/processes.ts'
import { overMemory, type WatchSetup } from './export-messages.ts'
import { killGroup } from './process-group.ts'

// Watches the process of an export from a thread of its own: the other threads may be busy for ever. It ends the process and its browser
// when the server or command that started it is gone, or when all of them together need too much memory.

const { parent, memoryBytes } = workerData as WatchSetup
/** A thread has no other way to write before the process ends. */
const stderr = 2
const everyMs = 500
/** Processes of others are not looked at again for so many rounds, and then once: the number of one that ended may be used again. */
const forgetEvery = 60
const foreign = new Set<number>()
let rounds = 0

setInterval(() => {
  // The system gives an orphan another parent.
  if (process.ppid !== parent) killGroup(process.pid)
  rounds += 1
  if (rounds % forgetEvery === 0) foreign.clear()
  if (measureMemory(listOwn()) <= memoryBytes) return
  writeSync(stderr, overMemory)
  killGroup(process.pid)
}, everyMs)

/** Lists the process of the export and those of its browser: they are in its process group. Empty on other systems than Linux. */
function listOwn(): number[] {
  const own: number[] = []
  for (const { pid, group } of listProcesses(pid => foreign.has(pid))) {
    if (group === process.pid) own.push(pid)
    else foreign.add(pid)
  }
  return own
}

/** Returns bytes. What the processes share counts for each of them, unless that exceeds the limit. */
function measureMemory(pids: readonly number[]): number {
  const sum = (file: string, field: string) =>
    pids.reduce((bytes, pid) => bytes + readKilobytes(`/proc/${pid}/${file}`, field), 0)
  const resident = sum('status', 'VmRSS')
  // What is shared costs milliseconds for each process.
  return resident <= memoryBytes ? resident : sum('smaps_rollup', 'Pss')
}

/** Returns 0 if the process has ended. */
function readKilobytes(path: string, field: string): number {
  try {
    const line = readFileSync(path, 'latin1')
      .split('\n')
      .find(line => line.startsWith(`${field}:`))
    return 1024 * Number.parseInt(line?.slice(field.length + 1) ?? '0', 10)
  } catch {
    return 0
  }
}
