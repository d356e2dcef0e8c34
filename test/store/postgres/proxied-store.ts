import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../../server/store/postgres/store.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { type CutProxy, openCutProxy } from './cut-proxy.ts'

export const now = Date.UTC(2026, 10, 23)
export const project = {
  id: 'prj_1',
  organizationId: 'org_1',
  name: 'Docs',
  visitorSaltRotation: 'never' as const,
  visitorRules: 2 as const,
  createdAt: now,
}

const postgres = await findPostgres()
/** Whether there is no PostgreSQL for the tests. */
export const isMissing = 'missing' in postgres

export interface ProxiedStore {
  database: TestDatabase
  proxy: CutProxy
  /** Has the organization `org_1` with the project above. Reaches its database through the proxy. */
  store: PostgresStore
}

/** Opens a store before each test of the file or `describe`. */
export function useProxiedStore(): ProxiedStore {
  const used = {} as ProxiedStore
  beforeAll(async () => {
    used.database = await createTestDatabase((postgres as { url: string }).url)
  })
  afterAll(() => used.database.drop())
  beforeEach(async () => {
    await used.database.clear()
    used.proxy = await openCutProxy(used.database.url)
    used.store = await openPostgresStore(used.proxy.url)
    await used.store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: now })
    await used.store.projects.insert(project)
  })
  afterEach(async () => {
    await used.store.close()
    await used.proxy.close()
  })
  return used
}

/** Waits for a call to fail, and says how long that took. */
export async function failure(call: () => unknown): Promise<{ error: unknown; ms: number }> {
  const startedAt = performance.now()
  const error = await Promise.resolve()
    .then(call)
    .then(() => 'It did not fail.')
    .catch((error: unknown) => error)
  return { error, ms: performance.now() - startedAt }
}
