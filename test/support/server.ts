import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../../server/config.ts'
import { readConfig, type ServeFlags, serveSettings } from '../../server/flags/serve-settings.ts'
import type { Setting } from '../../server/flags/setting.ts'
import { startServer } from '../../server/server.ts'
import type { RunningServer } from '../../server/serving/running-server.ts'
import type { Store } from '../../server/store/store.ts'
import { type ApiKey, createKey, hashKey, type KeyBounds } from '../../server/tenancy/api-key.ts'
import { createId } from '../../server/tenancy/id.ts'
import type { Plan } from '../../server/tenancy/organization.ts'
import { prepareStores, type TestStores } from './test-stores.ts'

/** A server on a free port with a new data folder, and its store, to prepare test data. */
export interface TestServer extends RunningServer {
  dataFolder: string
  store: Store
  stores: TestStores
  /** The flags of a command that uses the store of the server. */
  commandFlags: string[]
  /** The lines that the server logged, parsed. */
  logged: Record<string, unknown>[]
  /** Ends the server and removes its folder. */
  dispose(): Promise<void>
  /** Ends the server and starts another on the same folder; its address may change. */
  restart(): Promise<void>
}

export async function startTestServer(flags: Partial<ServeFlags> = {}): Promise<TestServer> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-test-'))
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) })
  const stores = await prepareStores(dataFolder)
  const config = createConfig({ ...flags, ...stores.flags, data: dataFolder })
  let server = await startServer(config, log)
  const store = await stores.open()
  const { database } = config
  return {
    get url() {
      return server.url
    },
    dataFolder,
    store,
    stores,
    commandFlags: ['--data', dataFolder, ...(database === undefined ? [] : ['--database', database])],
    logged,
    close: () => server.close(),
    async restart() {
      await server.close()
      server = await startServer(config, log)
    },
    async dispose() {
      await store.close()
      await server.close()
      await stores.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

/** Returns the settings of a server on a free port. */
export function createConfig(flags: Partial<ServeFlags> & { data: string }): Config {
  const defaults = Object.fromEntries(Object.entries<Setting>(serveSettings).map(([name, row]) => [name, row.default]))
  return readConfig({
    ...(defaults as unknown as ServeFlags),
    port: 0,
    drainSeconds: 0,
    validateResponses: true,
    allowNoSandbox: true,
    ...flags,
  })
}

/** Creates an organization with a project through the store, as the commands do. */
export async function createOrganization(store: Store, plan: Plan = 'enterprise') {
  const createdAt = Date.now()
  const organizationId = createId('org')
  const projectId = createId('prj')
  await store.organizations.insert({ id: organizationId, name: 'Acme', plan, createdAt })
  await store.projects.insert({
    id: projectId,
    organizationId,
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt,
  })
  return { organizationId, projectId }
}

type KeyWish = Partial<Pick<ApiKey, 'scopes' | 'expiresAt' | keyof KeyBounds>>

/** Creates a valid key of an organization, and returns it as a client would send it. */
export async function createApiKey(
  store: Store,
  organizationId: string,
  { scopes = ['read', 'write'], expiresAt = null, ...bounds }: KeyWish = {},
): Promise<{ key: string; keyId: string }> {
  const key = createKey('quire_')
  const keyId = createId('key')
  await store.apiKeys.insert(
    {
      id: keyId,
      organizationId,
      name: 'test',
      last4: key.slice(-4),
      scopes,
      createdAt: Date.now(),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      ...bounds,
    },
    hashKey(key),
  )
  return { key, keyId }
}
