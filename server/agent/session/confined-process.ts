import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Confinement, RunLimits } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import { listJobProcesses, sendKill, sendSignal, watchJob } from './job-processes.ts'
import { bubblewrapStreams, type ConfinedProgram, type GateEntry, planStart } from './plan-start.ts'
import { findRunUser, giveTo } from './run-user.ts'

/** A process that ignores SIGTERM has this time. */
const termGraceMs = 500
const killWaitMs = 2000
const maxErrorBytes = 4096

export interface ConfinedOptions {
  confinement: Confinement
  program: ConfinedProgram
  work: string
  home: string
  gate: GateEntry | null
  limits: Pick<RunLimits, 'memoryBytes' | 'processes' | 'diskBytes'>
  /** Called once, when the processes exceed a limit. They still run. */
  onExceeded(error: RunError): void
}

export interface ProcessEnd {
  /** 128 and more: a signal ended the program inside of the confinement. */
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ConfinedProcess {
  stdin: Writable
  stdout: Readable
  /** Where the program sees the folder of the documentation. */
  seenWork: string
  ended: Promise<ProcessEnd>
  /** The end of what it wrote to its standard error. */
  lastErrors(): string
  /** Ends all processes of the program, also those that it started. None of them exists afterwards. */
  kill(): Promise<void>
}

/**
 * Starts a program in a confinement. Its standard streams are pipes.
 *
 * @throws {RunError} `agent_unusable` if the system cannot start it.
 */
export async function startConfined(options: ConfinedOptions): Promise<ConfinedProcess> {
  const { confinement, home, gate, limits, onExceeded } = options
  const runId = randomUUID()
  await mkdir(join(home, 'tmp'), { recursive: true })
  const isBubblewrap = confinement.kind === 'bubblewrap'
  const user = isBubblewrap ? findRunUser() : undefined
  if (user !== undefined) for (const path of [options.work, home, gate?.socket]) if (path) await giveTo(user, path)
  const { file, args, env, cwd, seenWork } = planStart({ ...options, runId, user })
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(isBubblewrap ? (['pipe', 'pipe', 'pipe'] as const) : [])],
  }) as ChildProcessByStdio<Writable, Readable, Readable>
  const { pid } = child
  if (pid === undefined) {
    const [cause] = await once(child, 'error')
    throw new RunError('agent_unusable', 'The program of the agent or of its confinement cannot be started.', { cause })
  }
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  const ended = once(child, 'exit').then(([code, signal]): ProcessEnd => ({ code, signal }))
  const firstInside = isBubblewrap ? talkToBubblewrap(child.stdio, user) : Promise.resolve(undefined)
  const watch = watchJob({ pid, folders: [options.work, home], limits, onExceeded })
  let killing: Promise<void> | undefined
  const kill = () => {
    killing ??= endAll({ pid, ended, runId, confinement, firstInside }).finally(() => watch.stop())
    return killing
  }
  // Processes that outlive the program are of no use to anybody.
  void ended.then(kill)
  return { stdin: child.stdin, stdout: child.stdout, seenWork, ended, lastErrors: keepEnd(child.stderr), kill }
}

/** Writes what bubblewrap reads, and returns the id of the first process in its namespace. All others there end with it. */
async function talkToBubblewrap(streams: readonly unknown[], user: number | undefined): Promise<number | undefined> {
  for (const { fd, write } of [bubblewrapStreams.passwd, bubblewrapStreams.group]) {
    const stream = streams[fd] as Writable
    stream.on('error', () => {})
    stream.end(write(user))
  }
  let info = ''
  try {
    for await (const bytes of streams[bubblewrapStreams.info] as Readable) info += bytes
    return JSON.parse(info)['child-pid']
  } catch {
    // It ended before.
    return undefined
  }
}

interface Running {
  pid: number
  ended: Promise<ProcessEnd>
  runId: string
  confinement: Confinement
  firstInside: Promise<number | undefined>
}

async function endAll({ pid, ended, runId, confinement, firstInside }: Running): Promise<void> {
  let hasEnded = false
  const end = ended.then(() => {
    hasEnded = true
  })
  await Promise.race([end, pause(0)])
  const within = (ms: number) => Promise.race([end, pause(ms, undefined, { ref: false })])
  if (confinement.kind === 'bubblewrap') {
    // The kernel ends a namespace before the parent of its first process learns of the end of that one.
    const first = await Promise.race([firstInside, pause(killWaitMs, undefined, { ref: false })])
    if (first !== undefined && !hasEnded) sendKill(first)
    await within(killWaitMs)
    sendKillToGroup(pid)
    await end
    return
  }
  if (confinement.kind === 'command' && !hasEnded) {
    // Such as `podman run`, which ends its container then.
    sendSignal(-pid, 'SIGTERM')
    await within(termGraceMs)
  }
  // A process of another user, such as one that became root, cannot be ended.
  for (const until = performance.now() + killWaitMs; performance.now() < until; await pause(10)) {
    sendKillToGroup(pid)
    const left = listJobProcesses(pid, runId)
    if (left.length === 0) break
    for (const process of left) sendKill(process)
  }
  await within(killWaitMs)
}

const sendKillToGroup = (group: number) => sendKill(-group)

function keepEnd(stream: Readable): () => string {
  let text = ''
  stream.on('error', () => {})
  stream.on('data', (bytes: Buffer) => {
    text = (text + bytes.subarray(-maxErrorBytes).toString('latin1')).slice(-maxErrorBytes)
  })
  return () => Buffer.from(text, 'latin1').toString().trim()
}
