import { readFile } from 'node:fs/promises'

/** A running server of the comparison. */
export interface HostUnderTest {
  name: string
  url: string
  /** Its first process, which may have children. */
  pid: number
  close(): Promise<void>
}

/** The kernel counts CPU time in hundredths of a second. */
const ticksPerSecond = 100

/** Reads the CPU time that a process and its children have used so far; NaN where the system does not tell. */
export async function readCpuSeconds(pid: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
    const below = await Promise.all(children.map(child => readCpuSeconds(Number(child))))
    const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    return below.reduce((sum, each) => sum + each, own)
  } catch {
    return Number.NaN
  }
}
