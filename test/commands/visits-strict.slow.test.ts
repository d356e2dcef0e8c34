import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { runQuire } from '../support/process.ts'
import { createOrganization } from '../support/server.ts'

let folder: string
let store: Store
let projectId: string
const at = (name: string) => join(folder, name)
const good = [...generateAccessLog({ seed: 6, lines: 2000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })]
/** Two thirds of the lines have words of another program where the address is. */
const bad = good.map((line, i) => (i % 3 === 0 ? line : `web1 nginx: ${line}`))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-strict-'))
  store = openStore(at('data'))
  projectId = (await createOrganization(store)).projectId
  writeFileSync(at('good.log'), good.join('\n'))
  writeFileSync(at('bad.log'), `${bad.join('\n')}\n`)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const visits = (args: string[], env: Record<string, string> = {}) =>
  runQuire(['visits', ...args, '--project', projectId, '--data', at('data')], { env })

async function countVisitors(): Promise<number> {
  return (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
}

test('import --strict records nothing of any file and exits 1 when one is suspicious', async () => {
  const strict = await visits(['import', at('good.log'), at('bad.log'), '--strict', '--json'])
  expect(strict.code).toBe(1)
  expect(JSON.parse(strict.stdout)).toMatchObject({
    recorded: false,
    lines: 4000,
    warnings: [
      { file: at('bad.log'), code: 'mostly-malformed', message: expect.stringMatching(/lines are malformed/) },
    ],
    projects: [{ visitors: null }],
  })
  expect(strict.stderr).toMatch(/^Warning: the counts may be wrong\.\n.*bad\.log: .*\[mostly-malformed\]\nNothing was/)
  expect(await countVisitors()).toBe(0)

  const byVariable = await visits(['import', at('bad.log')], { QUIRE_STRICT: 'yes' })
  expect(byVariable).toMatchObject({ code: 1, stderr: expect.stringMatching(/because of --strict\.$/m) })
  expect(await countVisitors()).toBe(0)

  const lenient = await visits(['import', at('bad.log'), '--json'])
  expect(lenient).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: the counts may be wrong/) })
  expect(JSON.parse(lenient.stdout)).toMatchObject({ recorded: true, warnings: [{ code: 'mostly-malformed' }] })
  expect(await countVisitors()).toBeGreaterThan(0)
})

test('import --strict of a good log counts as without it', async () => {
  const strict = await visits(['import', at('good.log'), '--strict', '--json'])
  expect(strict).toMatchObject({ code: 0, stderr: '' })
  const summary = JSON.parse(strict.stdout)
  expect(summary).toMatchObject({ recorded: true, warnings: [] })
  const again = await visits(['import', at('good.log'), '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({
    newVisitorDays: 0,
    projects: [{ visitors: summary.projects[0].visitors }],
  })
  expect(summary.newVisitorDays).toBeGreaterThan(0)
  expect(await countVisitors()).toBe(summary.projects[0].visitors.total)
})

test('a log below a header that cannot be read fails, also without --strict', async () => {
  const header =
    '#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Fields: date time s-ip cs-method'
  writeFileSync(at('iis.log'), `${header}\n${'2026-11-20 10:11:12 10.0.0.5 GET\n'.repeat(20)}`)
  const { code, stderr, stdout } = await visits(['import', at('iis.log'), '--json'])
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /none of its 20 other lines could be read\..* \[unread-header\]\n.*iis\.log: none of 23 lines/s,
  )
  expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ code: 'unread-header' }] })
})

test('follow --once --strict records nothing and exits 1; the next run reads the same lines', async () => {
  const strict = await visits(['follow', at('bad.log'), '--once', '--strict', '--json'])
  expect(strict.code).toBe(1)
  expect(JSON.parse(strict.stdout)).toMatchObject({ lines: 2000, warnings: [{ code: 'mostly-malformed' }] })
  expect(strict.stderr).toMatch(/lines are malformed .*\n.*nothing was recorded, because of --strict\. The next run/)
  expect(await countVisitors()).toBe(0)

  const lenient = await visits(['follow', at('bad.log'), '--once', '--json'])
  expect(lenient.code).toBe(0)
  expect(JSON.parse(lenient.stdout)).toMatchObject({ lines: 2000, warnings: [{ code: 'mostly-malformed' }] })
  expect(await countVisitors()).toBeGreaterThan(0)

  const forEver = await visits(['follow', at('good.log'), '--strict'])
  expect(forEver).toMatchObject({ code: 2, stderr: expect.stringMatching(/--strict needs --once/) })
})

test('follow --once --strict of a good log counts it once', async () => {
  writeFileSync(at('good.log'), `${good.join('\n')}\n`)
  const first = await visits(['follow', at('good.log'), '--once', '--strict', '--json'])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(first.stdout)).toMatchObject({ lines: 2000, warnings: [] })
  expect(await countVisitors()).toBeGreaterThan(0)
  const second = await visits(['follow', at('good.log'), '--once', '--strict', '--json'])
  expect(JSON.parse(second.stdout)).toMatchObject({ lines: 0, newVisitorDays: 0 })
})
