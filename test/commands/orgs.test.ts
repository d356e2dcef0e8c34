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
    `This permanently deletes Acme (${organizationId}): 1 project with its visits, 1 site, 1 valid key, 0 people who may sign in, 0 agent jobs, 1 export with its bundle, whose links stop working. Confirm with --yes.`,
  )
  expect(await store.organizations.find(organizationId)).toBeDefined()
})

test('a rename keeps the id, is in the audit log, and tells of another with the name', async () => {
  const renamed = await quire('orgs', 'rename', 'Acme', ' Acme Europe ')
  expect(renamed).toMatchObject({ code: 0, stdout: `${organizationId} has the name Acme Europe.\n`, stderr: '' })
  expect(await store.organizations.find(organizationId)).toMatchObject({ name: 'Acme Europe' })
  expect(await quire('orgs', 'rename', 'Acme', 'X')).toMatchObject({ code: 1 })
  expect(await quire('orgs', 'rename', organizationId, 'org_0f3c9a1b2d4e5f60')).toMatchObject({ code: 2 })
  await quire('orgs', 'rename', organizationId, 'Acme')
  expect(await quire('projects', 'rename', 'Docs', 'Manual')).toMatchObject({ code: 0 })
  const { stdout } = await quire('projects', 'rename', 'Manual', 'Docs', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ id: projectId, name: 'Docs' })
  const changes = await store.auditLog.list({ limit: 4 })
  expect(changes.map(({ detail }) => detail)).toEqual(['name Docs', 'name Manual', 'name Acme', 'name Acme Europe'])
})

test('projects delete asks first, then deletes the project with its visits and sites; its exports stay', async () => {
  await quire('projects', 'create', 'Old', '--org', 'Acme')
  await quire('sites', 'create', 'old.example.com', '--project', 'Old')
  await quire('visits', 'import', logFile(), '--project', 'Old')
  const { id } = (await store.projects.list()).find(({ name }) => name === 'Old') ?? { id: '' }
  const asked = await quire('projects', 'delete', 'Old')
  expect(asked).toMatchObject({ code: 2 })
  expect(asked.stderr).toContain(
    `This permanently deletes Old (${id}): its visits, 1 site, 0 agent jobs, 0 keys that work only with it. Confirm with --yes.`,
  )
  expect(existsSync(join(folder, 'visits', `${id}.db`))).toBe(true)
  const { stdout } = await quire('projects', 'delete', 'Old', '--yes', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ id, deleted: true })
  expect(existsSync(join(folder, 'visits', `${id}.db`))).toBe(false)
  expect((await store.sites.list()).map(({ domain }) => domain)).toEqual(['docs.example.com'])
  expect(await quire('projects', 'delete', 'Old', '--yes')).toMatchObject({ code: 1 })
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
