import { readdirSync, readFileSync } from 'node:fs'

/** Memory of a process and its descendants, in bytes. */
export interface TreeMemory {
  /** Peak resident memory of the process itself. */
  mainPeakBytes: number
  /** Current resident memory of the process itself. */
  mainBytes: number
  /** Current memory of all of them, shared memory counted once (proportional set size). */
  treeBytes: number
}

/** Lists the ids of a process and its descendants, the process first. Without /proc, lists only the process. */
export function listTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readFolder('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name in parentheses may contain spaces, so read after it: the state, then the parent.
    const parent = Number(readText(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** Reads the memory of a process. Returns undefined without /proc, or when the process has ended. */
export function readMemory(main: number): TreeMemory | undefined {
  const status = readText(`/proc/${main}/status`)
  const kilobytes = (text: string, field: string) => {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)
    return found ? Number(found[1]) * 1024 : undefined
  }
  const mainPeakBytes = kilobytes(status, 'VmHWM')
  if (mainPeakBytes === undefined) return undefined
  const treeBytes = listTree(main).reduce(
    (sum, pid) => sum + (kilobytes(readText(`/proc/${pid}/smaps_rollup`), 'Pss') ?? 0),
    0,
  )
  return { mainPeakBytes, mainBytes: kilobytes(status, 'VmRSS') ?? 0, treeBytes }
}

/** Ticks of the clock per second in /proc, the same on all Linux systems of today. */
const ticks = 100

/** Reads the user and system time of a process without its children; 0 without /proc, or when the process has ended. */
export function readCpuSeconds(pid: number): number {
  const fields = readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticks
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // the process has ended, or there is no /proc
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
