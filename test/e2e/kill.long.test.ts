import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startSite } from '../support/export-site.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

const random = createRandom('kills')
const kills = rounds(20)
const rank = { queued: 0, running: 1, completed: 2, failed: 2 }

test(`kill -9 at ${kills} random moments of an export loses no accepted job, and no status goes backwards`, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-kill-'))
  const site = await startSite(150, { delayMs: 20 })
  const store = openStore(dataFolder)
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
  store.close()
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }

  const accepted: string[] = []
  const last = new Map<string, { status: keyof typeof rank; progress: number; pageCount: number }>()
  let server: ServeProcess | undefined
  const poll = async (jobId: string) => {
    const { status, json } = await send(server?.url ?? '', `/v1/static-export/jobs/${jobId}`, { headers })
    expect(status).toBe(200)
    const job = json as unknown as {
      status: keyof typeof rank
      progress: number
      pageCount: number
      error: string | null
    }
    const before = last.get(jobId) ?? { status: 'queued', progress: 0, pageCount: 0 }
    expect(rank[job.status]).toBeGreaterThanOrEqual(rank[before.status])
    expect(job.progress).toBeGreaterThanOrEqual(before.progress)
    expect(job.pageCount).toBeGreaterThanOrEqual(before.pageCount)
    expect(job.error).toBeNull()
    last.set(jobId, job)
    return job
  }
  const start = async () => {
    const answer = await send(server?.url ?? '', '/v1/static-export/jobs', {
      method: 'POST',
      headers,
      body: '{"domain":"docs.example.com"}',
    })
    expect(answer.status).toBe(202)
    accepted.push(String(answer.json.jobId))
  }

  try {
    for (let kill = 0; kill < kills; kill++) {
      server = await startServe(['--data', dataFolder, '--lease-seconds', '1'])
      if (kill % 5 === 0) await start()
      const until = Date.now() + 200 + random() * 3500
      while (Date.now() < until) {
        for (const jobId of accepted) await poll(jobId)
        await new Promise(done => setTimeout(done, 50))
      }
      expect(await server.end('SIGKILL')).toBeNull()
    }
    server = await startServe(['--data', dataFolder, '--lease-seconds', '1'])
    const endsAt = Date.now() + 120_000
    for (const jobId of accepted) {
      while ((await poll(jobId)).status !== 'completed' && Date.now() < endsAt)
        await new Promise(done => setTimeout(done, 100))
    }
    expect([...last.values()].map(({ status, pageCount }) => ({ status, pageCount }))).toEqual(
      accepted.map(() => ({ status: 'completed', pageCount: 150 })),
    )
    const bundles = await Promise.all(
      accepted.map(
        async jobId =>
          (await send(server?.url ?? '', `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })).json
            .sha256,
      ),
    )
    expect(new Set(bundles).size).toBe(1)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(await readdir(join(dataFolder, 'work'))).toEqual([])
  } finally {
    server?.child.kill('SIGKILL')
    await site.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
})
