import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../server/main.ts')

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `quire ARGS` as a process of its own until it ends. */
export function runQuire(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Finished> {
  const child = start(args, env)
  child.stdin?.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', code => done({ code, stdout, stderr }))
  })
}

export interface ServeProcess {
  url: string
  child: ChildProcess
  /** Everything written to standard output so far. */
  output(): string
  /** Sends the signal and waits for the end; the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `quire serve ARGS` and waits until it listens. */
export function startServe(args: readonly string[]): Promise<ServeProcess> {
  const child = start(['serve', '--port', '0', ...args], {})
  let output = ''
  const ended = new Promise<number | null>(done => child.on('close', code => done(code)))
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.stderr?.on('data', chunk => {
      output += chunk
    })
    child.stdout?.on('data', chunk => {
      output += chunk
      const url = /"url":"([^"]+)"/.exec(output)?.[1]
      if (!url) return
      done({
        url,
        child,
        output: () => output,
        end: signal => {
          child.kill(signal)
          return ended
        },
      })
    })
    void ended.then(code => failed(new Error(`quire serve ended with ${code}: ${output}`)))
  })
}

export interface FollowProcess {
  /** The last line of `--json` so far. */
  status(): { lines: number; aheadBytes: number; newVisitorDays: number } | undefined
  /** Everything written to standard error so far. */
  errors(): string
  /** Sends the signal and waits for the end; the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `quire visits follow ARGS --json`. */
export function startFollow(args: readonly string[]): FollowProcess {
  const child = start(['visits', 'follow', '--json', '--status-seconds', '1', ...args], {})
  let output = ''
  let errors = ''
  child.stdout?.on('data', chunk => {
    output += chunk
  })
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<number | null>(done => child.on('close', code => done(code)))
  return {
    status() {
      const line = output.split('\n').at(-2)
      return line === undefined ? undefined : JSON.parse(line)
    },
    errors: () => errors,
    end: signal => {
      child.kill(signal)
      return ended
    },
  }
}

function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=DEP0169', main, ...args], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
}
