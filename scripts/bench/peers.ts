import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../server/base/operator-error.ts'

const folder = import.meta.dirname

/**
 * Installs the packages that benchmarks compare with into scripts/bench, unless they already match the lock file.
 *
 * @throws {OperatorError} when npm fails.
 */
export async function installPeers(): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'))
  const wanted = createHash('sha256').update(lock).digest('hex')
  const stampFile = join(folder, 'node_modules', '.quire-stamp')
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === wanted) return
  console.error('Installing the peers into scripts/bench (npm ci) ...')
  if ((await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])) !== 0) {
    throw new OperatorError('npm ci failed in scripts/bench. Check the network, then run the command again.')
  }
  await writeFile(stampFile, wanted)
}

function runNpm(args: string[]): Promise<number> {
  // npm sets its path in the environment of the scripts that it runs. Without it, npm is found in the PATH.
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env
  const windows = process.platform === 'win32'
  return new Promise(done => {
    spawn(npm ? node : windows ? 'npm.cmd' : 'npm', npm ? [npm, ...args] : args, {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: windows && !npm,
    })
      .on('error', () => done(1))
      .on('exit', code => done(code ?? 1))
  })
}
