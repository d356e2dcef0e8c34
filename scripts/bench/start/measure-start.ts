import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** How a server is started: a program and its arguments before `serve`. */
export interface Starter {
  name: string
  program: string
  args: readonly string[]
}

/** One start. */
export interface StartSample {
  /** From the start of the process to the first answer of /readyz. */
  firstAnswerMs: number
  /** CPU time of the process and its threads until then. Linux counts it in steps of 10 ms. */
  cpuMs: number
  /** Memory after a pause without requests: all of it, and what belongs to this process alone. */
  residentBytes: number
  ownBytes: number
}

const tickMs = 10

/** Starts a server on a data folder, asks once, waits, and ends it. Needs /proc. */
export async function measureStart(starter: Starter, dataFolder: string, idleMs: number): Promise<StartSample> {
  const startedAt = performance.now()
  const args = [
    ...starter.args,
    'serve',
    '--port',
    '0',
    '--drain-seconds',
    '0',
    '--log-style',
    'json',
    '--data',
    dataFolder,
  ]
  const child = spawn(starter.program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const url = await readAddress(child.stdout, ended)
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${starter.name} answered ${response.status}.`)
    const firstAnswerMs = performance.now() - startedAt
    const cpuMs = await readCpuMs(child.pid as number)
    await pause(idleMs)
    return { firstAnswerMs, cpuMs, ...(await readMemory(child.pid as number)) }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function readAddress(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let text = ''
  const found = new Promise<string>(done => {
    output.on('data', chunk => {
      text += chunk
      const url = /"url":"([^"]+)"/.exec(text)?.[1]
      if (url !== undefined) done(url)
    })
  })
  const failed = ended.then(() => {
    throw new Error(`The server ended before it listened:\n${text}`)
  })
  failed.catch(() => {})
  return Promise.race([found, failed])
}

async function readCpuMs(pid: number): Promise<number> {
  // The name of the program, in parentheses, may contain spaces.
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

async function readMemory(pid: number): Promise<Pick<StartSample, 'residentBytes' | 'ownBytes'>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  return { residentBytes: read('VmRSS'), ownBytes: read('RssAnon') }
}
