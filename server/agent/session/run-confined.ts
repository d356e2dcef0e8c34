import { setTimeout as pause } from 'node:timers/promises'
import type { Confinement, RunLimits } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import { startConfined } from './confined-process.ts'
import type { ConfinedProgram } from './plan-start.ts'

export interface RunConfinedOptions {
  program: ConfinedProgram
  confinement: Confinement
  /** The folder in which it runs. Absolute, like `home`; both exist. */
  work: string
  home: string
  limits: Pick<RunLimits, 'memoryBytes' | 'processes' | 'diskBytes' | 'outputBytes'>
  /** How much of the end of the output is returned. */
  lastBytes: number
  /** Aborts with a RunError as its reason. */
  signal: AbortSignal
}

export interface ConfinedRun {
  /** 127 = the program is not found; 128 and more = a signal ended it. */
  exitCode: number
  /** The end of its standard output and its standard error. */
  output: string
}

/** How long the last output is awaited after all processes ended. One that escaped can keep the pipe open. */
const lastOutputMs = 1000

/**
 * Runs a program in a confinement without a model, until it ends. No process of it exists afterwards.
 *
 * @throws {RunError} when it exceeds a limit or cannot be started, or with the reason of the signal.
 */
export async function runConfined(options: RunConfinedOptions): Promise<ConfinedRun> {
  const { program, limits, lastBytes, signal } = options
  signal.throwIfAborted()
  const stopped = Promise.withResolvers<never>()
  // A shell joins both outputs in the order of their lines.
  const shell = { ...program, command: ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...program.command] }
  const process = await startConfined({ ...options, program: shell, gate: null, onExceeded: stopped.reject })
  process.stdin.end()
  const onAbort = () => stopped.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let output: Buffer = Buffer.alloc(0)
  let allBytes = 0
  process.stdout.on('data', (bytes: Buffer) => {
    allBytes += bytes.length
    output = Buffer.concat([output, bytes]).subarray(-lastBytes)
    if (allBytes <= limits.outputBytes) return
    const limit = Math.round(limits.outputBytes / 1e6)
    stopped.reject(new RunError('resource_limit', `The command wrote more than ${limit} MB.`))
  })
  const outputEnd = new Promise(done => process.stdout.on('close', done))
  try {
    const { code, signal: by } = await Promise.race([process.ended, stopped.promise])
    await process.kill()
    await Promise.race([outputEnd, stopped.promise, pause(lastOutputMs, undefined, { ref: false })])
    const errors = process.lastErrors()
    if (/^bwrap: /m.test(errors)) {
      const options = { cause: new Error(errors) }
      throw new RunError('agent_unusable', 'The confinement of the command cannot be set up.', options)
    }
    return { exitCode: code ?? (by === 'SIGKILL' ? 137 : 143), output: output.toString().trim() }
  } finally {
    signal.removeEventListener('abort', onAbort)
    await process.kill()
    process.stdout.destroy()
  }
}
