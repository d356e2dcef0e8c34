import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitFor } from './export-site.ts'
import { end, runUntilEnd } from './tied-program.ts'

test.skipIf(process.platform === 'win32')('Ctrl-C leaves no program behind', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-tied-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'pid')
  const shell = runUntilEnd('/bin/sh', ['-c', 'echo $$ > "$0"; exec sleep 300', file])
  const pid = await waitFor(async () => (existsSync(file) && Number(readFileSync(file, 'utf8'))) || undefined)
  for (const each of [pid, shell.pid as number]) process.kill(each, 'SIGINT')
  await end(shell)
  const isGone = () => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  }
  try {
    await expect.poll(isGone).toBe(true)
  } finally {
    if (!isGone()) process.kill(pid, 'SIGKILL')
  }
})
