import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

const opener = join(import.meta.dirname, 'open-new-databases.ts')
/** Long enough for the programs to start. */
const startsInMs = 3000

test('processes that open a new database at once wait for each other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-open-'))
  const start = String(Date.now() + startsInMs)
  const ended = await Promise.all([1, 2, 3, 4].map(() => runProgram([opener, folder, start, '60'])))
  rmSync(folder, { recursive: true, force: true })
  expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', '', ''])
})
