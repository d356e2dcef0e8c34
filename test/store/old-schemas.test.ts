import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Input } from '../../generated/operations.ts'
import type { Deps } from '../../server/operations/deps.ts'
import { getAgentJob } from '../../server/operations/getAgentJob.ts'
import { getUniqueVisitors } from '../../server/operations/getUniqueVisitors.ts'
import { listKnownSchemas } from '../../server/store/schema-versions.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { planUpgrade, upgradeDatabases } from '../../server/store/upgrade.ts'
import type { Caller } from '../../server/tenancy/api-key.ts'

/** Databases that earlier versions of Quire wrote, and what those versions answered; see schemas/make.ts. */
const schemas = join(import.meta.dirname, 'schemas')
const names = readdirSync(schemas, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-schemas-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the answers by the path of the request. */
function unpack(name: string): Record<string, unknown> {
  cpSync(join(schemas, name), folder, { recursive: true })
  for (const packed of globSync('**/*.gz', { cwd: folder })) {
    const file = join(folder, packed)
    writeFileSync(file.slice(0, -'.gz'.length), gunzipSync(readFileSync(file)))
    rmSync(file)
  }
  const { answers } = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'))
  rmSync(join(folder, 'answers.json'))
  return answers
}

/** Answers a request as the server does, without starting one for each schema. */
async function answer(store: Store, path: string): Promise<unknown> {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const [, , kind, projectId = '', , id = ''] = pathname.split('/')
  const project = (await store.projects.list()).find(known => known.id === projectId)
  const caller: Caller = {
    keyId: '',
    organizationId: project?.organizationId ?? '',
    plan: 'enterprise',
    scopes: ['read'],
    projectIds: null,
  }
  if (kind === 'agent') {
    const { status, body } = await getAgentJob({ params: { projectId, id } } as Input<'getAgentJob'>, store, caller)
    return { status, body }
  }
  const { dateFrom, dateTo, limit } = Object.fromEntries(searchParams)
  const query = { limit: Number(limit), offset: 0, dateTo, ...(dateFrom !== undefined && { dateFrom }) }
  const input = { params: { projectId }, query } as Input<'getUniqueVisitors'>
  const deps = { ...store, hashText: (text: string) => text } as unknown as Deps
  const { status, body } = await getUniqueVisitors(input, deps, caller)
  return { status, body }
}

test.each(names)('data of %s gives the answers that its version gave', async name => {
  const answers = unpack(name)
  const plan = await planUpgrade(folder)
  upgradeDatabases(folder, plan, () => {})
  const known = listKnownSchemas()
  for (const { path, schema, newest, migrations } of (await planUpgrade(folder)).databases) {
    expect({ path, schema, migrations }).toEqual({ path, schema: newest, migrations: [] })
  }
  const [main, visits] = [...name.matchAll(/\d+/g)].map(Number)
  const copies = readdirSync(folder).filter(file => file.includes('.schema-'))
  expect(copies).toEqual(main === known.main ? [] : [`quire.db.schema-${main}`])
  expect(plan.databases.map(({ schema }) => schema)).toEqual([main, ...(visits === 0 ? [] : [visits])])

  const store = openStore(folder)
  try {
    for (const [path, body] of Object.entries(answers)) {
      expect([path, await answer(store, path)]).toEqual([path, { status: 200, body }])
    }
  } finally {
    store.close()
  }
})

test('the newest schemas have data, so that the next version can be tested with it', () => {
  const { main, visits } = listKnownSchemas()
  expect(names, 'Run: node test/store/schemas/make.ts').toContain(`main-${main}-visits-${visits}`)
})
