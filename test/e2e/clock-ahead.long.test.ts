import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

const dayMs = 86_400_000

/** The options of a program whose clock differs by some time from the right time. */
function withClock(byMs: number) {
  const script = `const { now } = Date; Date.now = () => now() + ${byMs}`
  return { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` } }
}

test.each([
  ['an hour', dayMs / 24],
  ['a day', dayMs],
  ['a year', 365 * dayMs],
])('a server whose clock was %s ahead answers as usual when the clock is right', async (_, byMs) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-clock-'))
  const store = openStore(dataFolder)
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  const headers = { Authorization: `Bearer ${key}` }
  const count = (url: string) => send(url, `/v1/analytics/${projectId}/visitors`, { headers })
  try {
    const ahead = await startServe(['--data', dataFolder], withClock(byMs))
    try {
      expect(await count(ahead.url)).toMatchObject({ status: 200, headers: { ratelimit: '"analytics";r=99;t=3600' } })
    } finally {
      await ahead.end('SIGTERM')
    }
    expect((await store.apiKeys.list())[0]?.lastUsedAt).toBeGreaterThan(Date.now() + byMs / 2)
    const right = await startServe(['--data', dataFolder])
    try {
      const answers = [await count(right.url), await count(right.url)]
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers[1]?.headers.ratelimit).toMatch(/^"analytics";r=9[78];t=\d+$/)
      expect((await store.apiKeys.list())[0]?.lastUsedAt).toBeLessThan(Date.now() + 1000)
    } finally {
      await right.end('SIGTERM')
    }
  } finally {
    store.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
})
