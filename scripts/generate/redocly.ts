import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Run {
  stdout: string
  stderr: string
  /** Whether the exit code was not 0. */
  hasFailed: boolean
}

/** Runs the command line of Redocly without its telemetry. */
export function runRedocly(args: readonly string[], cwd = process.cwd()): Promise<Run> {
  const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin', 'cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise(done => {
    execFile(process.execPath, [cli, ...args], { env, cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done({ stdout, stderr: stderr || (error?.message ?? ''), hasFailed: error !== null }),
    )
  })
}
