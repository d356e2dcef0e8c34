import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { type Finished, type ProgramOptions, type RunningProgram, runProgram, startProgram } from './program.ts'

export const main = join(import.meta.dirname, '../../server/main.ts')

export type { Finished }

/** The single binary that the tests run in place of the sources; undefined = the sources. */
const binary = process.env.QUIRE_TEST_BINARY

/** How messages and help call the program. */
export const calledAs = binary === undefined ? 'npx quire' : 'quire'

/** Has no folder with a Node, because the binary must not need one. Such a folder may also hold the browser, so that is named. */
function envWithoutNode(): Record<string, string> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !existsSync(join(folder, 'node')))
  const browser = findBrowser()
  return { PATH: folders.join(delimiter), ...(browser !== null && { PUPPETEER_EXECUTABLE_PATH: browser }) }
}

function toProgram(args: readonly string[], options: ProgramOptions): [readonly string[], ProgramOptions] {
  if (binary === undefined) return [['--disable-warning=DEP0169', main, ...args], options]
  return [args, { ...options, program: resolve(binary), env: { ...envWithoutNode(), ...options.env } }]
}

/** Runs `quire ARGS` as a process until it ends. */
export function runQuire(args: readonly string[], options: ProgramOptions = {}): Promise<Finished> {
  return runProgram(...toProgram(args, options))
}

/** Starts `quire ARGS` as a process that runs until the test ends it. */
export function startQuire(args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  return startProgram(...toProgram(args, options))
}

export interface ServeProcess extends RunningProgram {
  url: string
}

/**
 * Starts `quire serve ARGS` and waits until it listens. Unless ARGS say otherwise, it stops listening as soon as it is told to
 * stop.
 *
 * @throws {Error} with its output if it ends before it listens.
 */
export async function startServe(args: readonly string[], options: ProgramOptions = {}): Promise<ServeProcess> {
  const program = startQuire(['serve', '--port', '0', '--drain-seconds', '0', ...args], options)
  const url = await program.read(output => /"url":"([^"]+)"/.exec(output)?.[1])
  return Object.assign(program, { url })
}

export interface FollowProcess {
  /** The last line of `--json` so far. */
  status(): { lines: number; aheadBytes: number; newVisitorDays: number } | undefined
  /** Everything written to standard error so far. */
  errors(): string
  end: RunningProgram['end']
}

/** Starts `quire visits follow ARGS --json`. */
export function startFollow(args: readonly string[]): FollowProcess {
  const program = startQuire(['visits', 'follow', '--json', '--status-seconds', '1', ...args])
  return {
    status() {
      const line = program.stdout().split('\n').at(-2)
      return line === undefined ? undefined : JSON.parse(line)
    },
    errors: program.stderr,
    end: program.end,
  }
}
