import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'

/**
 * Runs a program to its end and writes its output to FOLDER/LOG.
 *
 * @throws {OperatorError} when it cannot be started, fails or takes longer than `timeoutMs`; the message names the log.
 */
export async function runTool(
  command: string,
  args: readonly string[],
  { folder, log, env = {}, timeoutMs = 600_000 }: RunToolOptions,
): Promise<void> {
  const logFile = join(folder, log)
  const out = createWriteStream(logFile)
  const code = await new Promise<number | string>(done => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      shell: process.platform === 'win32',
    })
    child.stdout.pipe(out, { end: false })
    child.stderr.pipe(out, { end: false })
    child.on('error', error => done(error.message)).on('close', (code, signal) => done(code ?? signal ?? 1))
  })
  out.end()
  if (code !== 0) throw new OperatorError(`${command} ${args[0] ?? ''} failed (${code}). Its output is in ${logFile}`)
}

export interface RunToolOptions {
  folder: string
  log: string
  env?: Record<string, string>
  timeoutMs?: number
}

/** Runs the npm that started this process, or else the npm in the PATH. */
export async function runNpm(args: readonly string[], options: RunToolOptions): Promise<void> {
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env
  // No site needs the install scripts of its packages, and the npm settings of the project forbid them.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  // Puppeteer would download a browser; the project uses an installed one.
  const settings = { ...options, env: { ...options.env, PUPPETEER_SKIP_DOWNLOAD: '1' } }
  if (npm) return runTool(node, [npm, ...quiet, ...args], settings)
  return runTool(process.platform === 'win32' ? 'npm.cmd' : 'npm', [...quiet, ...args], settings)
}
