import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifySignature } from '../../server/base/signature.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire } from '../support/process.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { makeKeyPair, trust } from '../support/signing-keys.ts'

const domain = 'docs.example.com'
const [first, second] = [makeKeyPair(), makeKeyPair()]
let folder = ''
let site: Awaited<ReturnType<typeof startSite>>
let server: TestServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-signing-'))
  for (const [name, { pem }] of Object.entries({ first, second })) writeFileSync(join(folder, name), pem)
  site = await startSite(2)
  server = await startTestServer({ verify: 'static' })
})
afterAll(async () => {
  await server?.dispose()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

const setKey = (...args: string[]) =>
  runQuire(['sites', 'set-signing-key', domain, ...args, '--json', ...server.commandFlags])

async function exportSite(): Promise<{ bundleUrl: string; sha256: string }> {
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  await server.store.sites.insert({ domain, projectId, origin: site.url, createdAt: Date.now() })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ domain })
  const { json } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  return waitFor(async () => {
    const made = await send(server.url, `/v1/static-export/jobs/${json.jobId}/bundle`, { method: 'POST', headers })
    return made.status === 200 ? (made.json as { bundleUrl: string; sha256: string }) : undefined
  })
}

test('a download has the signature of the present key of its site, and the database has no key in clear', async () => {
  const { bundleUrl, sha256 } = await exportSite()
  const askFor = async () => (await fetch(bundleUrl, { method: 'HEAD' })).headers.get('Quire-Signature')
  expect(await askFor()).toBe(null)

  const set = await setKey(join(folder, 'first'))
  expect([set.code, JSON.parse(set.stdout)]).toEqual([0, { domain, signingKeyId: first.key.id }])
  const signature = (await askFor()) ?? ''
  expect(verifySignature(signature, trust(first))).toMatchObject({ sha256, keyId: first.key.id })
  // Another download has the same, because its time is that of the export.
  expect((await fetch(bundleUrl)).headers.get('Quire-Signature')).toBe(signature)
  expect(await server.store.sites.find(domain)).toMatchObject({ signingKeyId: first.key.id })

  const { sealed } = (await server.store.sites.findSigningKey(domain)) ?? { sealed: Buffer.alloc(0) }
  const secret = first.pem.split('\n')[1] ?? ''
  for (const text of [
    Buffer.from(sealed).toString('latin1'),
    JSON.stringify(await server.store.auditLog.list({ limit: 50 })),
    set.stdout,
  ])
    expect([text.length > 0, text.includes(secret)]).toEqual([true, false])
  if (server.commandFlags.length === 2)
    expect(readFileSync(join(server.dataFolder, 'quire.db'), 'latin1')).not.toContain(secret)

  await setKey(join(folder, 'second'))
  expect(verifySignature((await askFor()) ?? '', trust(second))).toMatchObject({ sha256 })
  await setKey('--clear')
  expect(await askFor()).toBe(null)
})

test('wrong usage names the remedy', async () => {
  expect(await setKey()).toMatchObject({ code: 2, stderr: expect.stringContaining('or give --clear') })
  writeFileSync(join(folder, 'public'), first.publicPem)
  expect(await setKey(join(folder, 'public'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/not a private key/),
  })
})
