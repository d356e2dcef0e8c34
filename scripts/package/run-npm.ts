import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs npm and returns what it prints. */
export async function runNpm(args: readonly string[], folder = process.cwd()): Promise<string> {
  // npm sets its path in the environment of its scripts; otherwise the PATH is used.
  const [command, ...prefix] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const { stdout } = await promisify(execFile)(command, [...prefix, ...args], {
    cwd: folder,
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout
}
