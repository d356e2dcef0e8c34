import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './find-run.ts'
import { help, isWebUrl, type ReportCommand, readOptions, UsageError } from './options.ts'
import { type Report, ReportError, sendReport } from './send-report.ts'

/** What the command needs of its process. */
export interface Terminal {
  args: readonly string[]
  env: Environment
  print(text: string): void
  printError(text: string): void
  /** How long a report is sent again. Default: a minute. */
  forMs?: number
}

/**
 * Runs `quire-report`.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage; with `run`, that of its command
 */
export async function runCommand({ args, env, print, printError, forMs = 60_000 }: Terminal): Promise<number> {
  let command: ReportCommand | undefined
  try {
    command = readOptions(args, env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    printError(`${error.message}\n`)
    return 2
  }
  if (!command) {
    print(help)
    return 0
  }
  const { verb, receiver, report, isJson, isStrict } = command
  const send = async (status: Report['status'], prLink = report.prLink): Promise<boolean> => {
    const { prLink: _, ...rest } = report
    const sent = { ...rest, status, occurredAt: new Date().toISOString() }
    try {
      const job = await sendReport(
        receiver,
        status === 'completed' && prLink !== undefined ? { ...sent, prLink } : sent,
        forMs,
      )
      if (isJson) print(`${JSON.stringify(job)}\n`)
      else if (verb !== 'run') print(`${receiver.id} is ${job.status}.\n`)
      return true
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      printError(`quire-report: ${error.message}\n`)
      return false
    }
  }
  if (verb === 'run') {
    // The command does not wait for a server that is down.
    const started = send('active')
    const { exitCode, prLink } = await runProgram(command.program, env, printError)
    const isStarted = await started
    const isEnded = await send(exitCode === 0 ? 'completed' : 'failed', prLink)
    return exitCode === 0 && isStrict && !(isStarted && isEnded) ? 1 : exitCode
  }
  const status = { start: 'active', complete: 'completed', fail: 'failed' } as const
  return (await send(status[verb])) ? 0 : 1
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs a program with the terminal of this one, and passes signals on. The API key is not among its variables. */
async function runProgram(
  [file = '', ...args]: readonly string[],
  { QUIRE_API_KEY: _, ...env }: Environment,
  printError: Terminal['printError'],
): Promise<{ exitCode: number; prLink: string | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-report-'))
  const linkFile = join(folder, 'pr-link')
  try {
    let child: ChildProcess | undefined
    const pass = (signal: NodeJS.Signals) => void child?.kill(signal)
    // Before the program runs: a signal that comes at once must not end this process alone.
    for (const signal of signals) process.on(signal, pass)
    const running = spawn(file, args, { stdio: 'inherit', env: { ...env, QUIRE_PR_LINK_FILE: linkFile } })
    child = running
    const exitCode = await new Promise<number>(done => {
      running.once('error', error => {
        printError(`quire-report: ${file} cannot be started: ${error.message}\n`)
        done(127)
      })
      running.once('exit', (code, signal) => done(code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)))
    })
    for (const signal of signals) process.off(signal, pass)
    return { exitCode, prLink: readLink(linkFile, printError) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns undefined for a text that is no link: the server would refuse the whole report. */
function readLink(file: string, printError: Terminal['printError']): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (text === '' || isWebUrl(text)) return text || undefined
  printError('quire-report: QUIRE_PR_LINK_FILE must contain one URL with http or https. It is ignored.\n')
  return undefined
}
