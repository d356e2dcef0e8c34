import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'
import type { NetworkCounters } from './network-counters.ts'
import type { Tour } from './tour.ts'

/** Makes a network namespace that has only its own loopback device. It needs root. */
const namespace = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const canIsolate = spawnSync('unshare', [...namespace, 'true']).status === 0

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-air-gap-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('without a network, everything works and nothing tries to leave', async context => {
  if (!canIsolate) context.skip('needs root, unshare and ip')
  const tour = [process.execPath, '--disable-warning=DEP0169', join(import.meta.dirname, 'tour.ts'), folder]
  const { code, stdout, stderr } = await runProgram([...namespace, ...tour], { program: 'unshare' })
  expect(code, stderr).toBe(0)
  const seen: Tour = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const { before, after, afterReader, afterLookup } = seen.counters
  expect(after).toEqual(before)
  // The browser of the reader tries once on its own whether there is IPv6.
  expect(afterReader.datagrams).toBe(0)
  expect(afterReader.withoutRoute - after.withoutRoute).toBeLessThanOrEqual(1)
  // The counters see a program that asks for a name.
  const count = ({ withoutRoute, datagrams }: NetworkCounters) => withoutRoute + datagrams
  expect(count(afterLookup)).toBeGreaterThan(count(afterReader))
  expect(JSON.parse(seen.importedLines)).toMatchObject({ lines: 3 })
  expect(seen.visitors).toMatchObject({ human: 2, ai: 1 })
  expect(seen.documentation.status).toBe(200)
  expect(seen.documentation.hits).toBeGreaterThan(10)
  expect(seen.exportedPages).toBeGreaterThan(15)
  expect(seen.hosted?.failed).toEqual([])
  expect(seen.hosted?.title).toMatch(/Quire/)
})
