import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveFeatures } from '../../server/products/features.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { runQuire } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

let folder: string
let store: Store
let organizationId: string
let projectId: string
const quire = (...args: string[]) => runQuire([...args, '--data', folder])

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-orgs-delete-'))
  store = openStore(folder)
  const created = await createOrganization(store)
  organizationId = created.organizationId
  projectId = created.projectId
  await createApiKey(store, organizationId)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: 0 })
  await quire('visits', 'import', logFile(), '--project', 'Docs')
  await addCompletedExport('se_1')
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function logFile(): string {
  const file = join(folder, 'access.log')
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
  writeFileSync(file, `203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET / HTTP/1.1" 200 5 "-" "${agent}"\n`)
  return file
}

async function addExport(jobId: string): Promise<void> {
  const deployment = 'air-gapped'
  await store.exportJobs.start(
    {
      jobId,
      organizationId,
      request: {
        domain: 'docs.example.com',
        version: null,
        paths: null,
        deployment,
        features: resolveFeatures(deployment, {}),
        offlineSearch: false,
        verify: null,
        format: 'zip',
      },
      status: 'queued',
      progress: 0,
      pageCount: 0,
      error: null,
      createdAt: Date.now(),
      updatedAt: Date.now(),
      bundle: null,
    },
    undefined,
    0,
  )
}

async function addCompletedExport(jobId: string): Promise<void> {
  await addExport(jobId)
  const claimed = await store.exportJobs.claim('runner', Date.now(), 60_000)
  if (!claimed) throw new Error('no job to claim')
  mkdirSync(join(folder, 'bundles'), { recursive: true })
  writeFileSync(join(folder, 'bundles', `${jobId}.zip`), 'bundle')
  const bundle = { fileName: `${jobId}.zip`, sizeBytes: 6, sha256: 'a'.repeat(64) }
  await store.exportJobs.complete(claimed.lease, bundle, 1, Date.now())
}

test('orgs delete asks for a confirmation that says what goes', async () => {
  const { code, stderr } = await quire('orgs', 'delete', 'Acme')
  expect(code).toBe(2)
  expect(stderr).toContain(
    `This permanently deletes Acme (${organizationId}): 1 project with its visits, 1 site, 1 valid key, 0 people who may sign in, 0 agent jobs, 1 export with its bundle.`,
  )
  expect(stderr).toContain('Confirm with --yes.')
  expect(await store.organizations.find(organizationId)).toBeDefined()
})

test('orgs delete refuses while an export runs, and changes nothing', async () => {
  await addExport('se_2')
  const claimed = await store.exportJobs.claim('runner', Date.now(), 60_000)
  expect(await quire('orgs', 'delete', 'Acme', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('running exports: se_2. Nothing was deleted. Wait until they have ended'),
  })
  expect(readdirSync(join(folder, 'bundles'))).toEqual(['se_1.zip'])
  if (claimed) await store.exportJobs.fail(claimed.lease, 'stopped', Date.now())
})

test('orgs delete removes the organization with its bundles and visits', async () => {
  expect(existsSync(join(folder, 'visits', `${projectId}.db`))).toBe(true)
  const { code, stdout } = await quire('orgs', 'delete', organizationId, '--yes', '--json')
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, id: organizationId, name: 'Acme', deleted: true })
  expect(readdirSync(join(folder, 'bundles'))).toEqual([])
  expect(readdirSync(join(folder, 'visits'))).toEqual([])
  expect(JSON.parse((await quire('orgs', 'list', '--json')).stdout)).toEqual([])
  expect(await quire('orgs', 'delete', organizationId, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no organization'),
  })
})
