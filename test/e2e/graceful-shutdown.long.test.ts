import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { shutDownCleanly } from '../support/shutdown-under-load.ts'

const shutdowns = 24

test(`${shutdowns} shutdowns at 200 requests a second reset no connection`, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-shutdowns-'))
  const store = openStore(dataFolder)
  const { organizationId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  store.close()
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const requests = [
    { path: '/healthz' },
    { path: '/v1/static-export/jobs/se_0000000000000000', headers },
    { method: 'POST', path: '/v1/static-export/jobs', headers, body: '{"domain":"unknown.example.com"}' },
  ]
  const broken: object[] = []
  let repeated = 0
  for (let shutdown = 0; shutdown < shutdowns; shutdown++) {
    const { result, exitCode, attempts } = await shutDownCleanly(dataFolder, requests)
    expect(exitCode).toBe(0)
    expect(result.refused).toBeGreaterThan(0)
    broken.push(result.broken)
    repeated += attempts - 1
  }
  console.log(`${repeated} shutdowns were repeated`)
  expect(broken).toEqual(Array(shutdowns).fill({}))
  await rm(dataFolder, { recursive: true, force: true })
})
