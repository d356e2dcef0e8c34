import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { runProgram, startProgram } from '../support/program.ts'

const days = 60
const taker = join(import.meta.dirname, 'take-period-keys.ts')

test('processes at once agree on the keys of a project, also when one of them is killed', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-period-keys-'))
  const store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'day',
    visitorRules: 2,
    createdAt: 0,
  })
  store.close()
  const args = (count: number) => [taker, dataFolder, 'prj_1', '20700', String(count)]
  try {
    const killed = startProgram(args(100_000))
    const others = [runProgram(args(days)), runProgram(args(days))]
    await killed.read(output => output.split('\n').length > 20)
    killed.child.kill('SIGKILL')
    const { stdout, code } = await killed.ended
    expect(code).toBe(null)
    const lines = stdout.split('\n').slice(0, -1)
    const [first, second] = await Promise.all(others)
    const after = await runProgram(args(days))
    expect([first?.stderr, second?.stderr, after.stderr]).toEqual(['', '', ''])
    const made = after.stdout.trim().split('\n')
    expect(new Set(made).size).toBe(days)
    expect(made.every(key => /^[0-9a-f]{64}$/.test(key))).toBe(true)
    expect([first?.stdout, second?.stdout]).toEqual([after.stdout, after.stdout])
    // Of the killed process, every key that it used is still the key of its day.
    const used = lines.slice(0, days)
    expect(used.length).toBeGreaterThanOrEqual(20)
    expect(used).toEqual(made.slice(0, used.length))
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
})
