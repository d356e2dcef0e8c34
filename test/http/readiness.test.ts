import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startTestServer } from '../support/server.ts'

const checkedEveryMs = 3000

test('a server whose database cannot be written is not ready, and is ready again afterwards', async () => {
  const server = await startTestServer()
  const other = new Database(join(server.dataFolder, 'quire.db'))
  try {
    const ready = () => send(server.url, '/readyz')
    expect(await ready()).toMatchObject({ status: 200, json: { status: 'ready' } })
    other.exec('BEGIN IMMEDIATE')
    // What was found a moment ago still counts.
    expect((await ready()).status).toBe(200)
    await new Promise(done => setTimeout(done, checkedEveryMs + 100))
    const startedAt = performance.now()
    expect(await ready()).toMatchObject({
      status: 503,
      json: { status: 'not ready', reason: 'the database cannot be written (SQLITE_BUSY)' },
    })
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect((await send(server.url, '/healthz')).status).toBe(200)
    other.exec('ROLLBACK')
    await new Promise(done => setTimeout(done, checkedEveryMs + 100))
    expect((await ready()).status).toBe(200)
  } finally {
    other.close()
    await server.dispose()
  }
})
