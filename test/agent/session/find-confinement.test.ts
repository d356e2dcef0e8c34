import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findConfinement, tryConfinement } from '../../../server/agent/session/find-confinement.ts'

// It starts programs, which test/projects.ts notices by this import.
void spawn

/** Creates a program `bwrap` and returns its folder. */
function createBubblewrap(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bwrap-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'bwrap')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return folder
}

test.runIf(process.platform === 'linux').for([
  ['echo bubblewrap 0.6.1', 'is version 0.6.1; install bubblewrap 0.8 or later.'],
  ['exit 1', 'is version unknown; install bubblewrap 0.8 or later.'],
  [
    'if [ "$1" = --version ]; then echo bubblewrap 0.11.0; else echo "bwrap: No permissions to create new namespace" >&2; exit 1; fi',
    'cannot confine programs (bwrap: No permissions to create new namespace); ',
  ],
] as const)('the problem of a bubblewrap that says %j is named', async ([script, sentence]) => {
  expect(await findConfinement(createBubblewrap(script))).toEqual({ problem: expect.stringContaining(sentence) })
})

test('a folder that cannot be made is named as the reason', async () => {
  vi.stubEnv('TMPDIR', '/dev/null/none')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await tryConfinement({ kind: 'none' })).toContain('/dev/null/none')
})
