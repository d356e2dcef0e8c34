import { readFileSync, writeFileSync } from 'node:fs'

const megabyte = 1024 ** 2

/** Forgets the peak of the memory of a process, so that `readPeak` tells what comes next. Linux, as the user of the process. */
export function resetPeak(pid: number | 'self'): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Returns the memory of a process now and its peak, in MB. */
export function readPeak(pid: number | 'self'): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / megabyte
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
