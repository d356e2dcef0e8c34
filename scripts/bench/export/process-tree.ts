import { readdirSync, readFileSync } from 'node:fs'

/** Memory of a process and of everything it started, in bytes. */
export interface TreeMemory {
  /** The most the process itself ever held (resident). */
  mainPeakBytes: number
  /** What the process itself holds now (resident). */
  mainBytes: number
  /** All of them now; what they share counts once (proportional set size). */
  treeBytes: number
}

/** Process ids of everything that a process started, itself first. Only itself where there is no /proc. */
export function listTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readFolder('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name in parentheses may hold spaces: count from its end. Then come the state and the parent.
    const parent = Number(readText(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** Undefined where there is no /proc, or when the process is gone. */
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it ended meanwhile, or there is no /proc here
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
