import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test, vi } from 'vitest'
import { busyTimeoutMs } from '../../server/store/database.ts'
import { send } from '../support/client.ts'
import { startTestServer } from '../support/server.ts'

const checkedEveryMs = 3000

test('a server is not ready while its database cannot be written', async () => {
  const server = await startTestServer()
  const other = new Database(join(server.dataFolder, 'quire.db'))
  try {
    const ready = () => send(server.url, '/readyz')
    expect(await ready()).toMatchObject({ status: 200, json: { status: 'ready' } })
    other.exec('BEGIN IMMEDIATE')
    // The result of the last check is still valid.
    expect((await ready()).status).toBe(200)
    await new Promise(done => setTimeout(done, checkedEveryMs + 100))
    const pragma = vi.spyOn(Database.prototype, 'pragma')
    expect(await ready()).toMatchObject({
      status: 503,
      json: { status: 'not ready', reason: 'the database cannot be written (SQLITE_BUSY)' },
    })
    // The check blocks the whole server while it waits for the lock, so it waits less than the store.
    const patience = pragma.mock.calls.map(([text]) => Number(/busy_timeout = (\d+)/.exec(text)?.[1]))
    expect(patience).toEqual([expect.toSatisfy(ms => ms < 2000), busyTimeoutMs])
    pragma.mockRestore()
    expect((await send(server.url, '/healthz')).status).toBe(200)
    other.exec('ROLLBACK')
    await new Promise(done => setTimeout(done, checkedEveryMs + 100))
    expect((await ready()).status).toBe(200)
  } finally {
    other.close()
    await server.dispose()
  }
})
