import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { watchProgram } from './watched-programs.ts'

const root = resolve(import.meta.dirname, '../..')
/** Characters of the output that an error shows. */
const shownCharacters = 4000

export interface ProgramOptions {
  /** Added to the environment of the tests. */
  env?: Record<string, string>
  /** The program; without it, the Node of the tests. */
  program?: string
  input?: string
}

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** A program that runs until the test ends it. */
export interface RunningProgram {
  child: ChildProcess
  /** What it wrote so far. */
  stdout(): string
  stderr(): string
  /** Standard output and standard error, in the order they arrived. */
  output(): string
  /** Resolves when it has ended and its output is complete. */
  ended: Promise<Finished>
  /**
   * Waits until `find` finds something in the output.
   *
   * @throws {Error} with the end of the output, as soon as the program has ended without a match.
   */
  read<T>(find: (output: string) => T | undefined | null | false | ''): Promise<T>
  /** Sends the signal and waits for the end. Returns the exit code; null if a signal ended the program. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Runs the Node of the tests with ARGS, such as a file and its flags, in the root of the project, until it ends. */
export function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Finished> {
  return start(args, options).ended
}

/**
 * Starts a program like `runProgram`. If it ends before the test kills it or awaits `ended`, `read` and `waitFor` fail at once
 * with its output.
 */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const { child, ended, stdout, stderr, output } = start(args, options)
  const name = args.find(arg => !arg.startsWith('-')) ?? 'node'
  const explain = ({ code }: Finished) =>
    new Error(`${name} ended with ${code ?? child.signalCode} too early:\n${output().slice(-shownCharacters)}`)
  const watch = watchProgram(ended.then(finished => (child.killed ? null : explain(finished))))
  return {
    child,
    stdout,
    stderr,
    output,
    get ended() {
      watch.stop()
      return ended
    },
    read: find =>
      new Promise((done, failed) => {
        const look = () => {
          const found = find(output())
          if (found) done(found)
          return found
        }
        if (look()) return
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', look)
        ended.then(finished => look() || failed(explain(finished)), failed)
      }),
    async end(signal) {
      watch.stop()
      child.kill(signal)
      return (await ended).code
    },
  }
}

function start(args: readonly string[], { env = {}, input = '', program = process.execPath }: ProgramOptions) {
  const child = spawn(program, [...args], { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' })
  // A program that ends before it has read its input breaks the pipe; its exit code explains more.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const text = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', chunk => {
      text[name] += chunk
      text.output += chunk
    })
  }
  const ended = new Promise<Finished>((done, failed) => {
    child.on('error', failed)
    child.on('close', code => done({ code, stdout: text.stdout, stderr: text.stderr }))
  })
  return { child, ended, stdout: () => text.stdout, stderr: () => text.stderr, output: () => text.output }
}

/**
 * Never called. `vitest --changed` follows these imports, so that it runs tests that start a program when the program has
 * changed.
 */
export const programs = [() => import('../../server/main.ts'), () => import('../../mock/main.ts')]
