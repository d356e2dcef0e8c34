import { expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startTestServer } from '../support/server.ts'

const checkedEveryMs = 3000

test('a server is not ready while its database cannot be written', async () => {
  const server = await startTestServer()
  let unlock = async () => {}
  try {
    const ready = () => send(server.url, '/readyz')
    expect(await ready()).toMatchObject({ status: 200, json: { status: 'ready' } })
    unlock = await server.stores.lock()
    // The result of the last check is still valid.
    expect((await ready()).status).toBe(200)
    await new Promise(done => setTimeout(done, checkedEveryMs + 100))
    // Other requests are answered while the check waits for the lock.
    const answers: string[] = []
    const note = (name: string) => () => void answers.push(name)
    const checked = ready()
    await Promise.all([checked.then(note('readyz')), send(server.url, '/healthz').then(note('healthz'))])
    expect(answers).toEqual(['healthz', 'readyz'])
    expect(await checked).toMatchObject({
      status: 503,
      json: { status: 'not ready', reason: `the database cannot be written (${server.stores.lockedCode})` },
    })
    expect((await send(server.url, '/healthz')).status).toBe(200)
    await unlock()
    // After a failure, it is checked again soon.
    await new Promise(done => setTimeout(done, 600))
    expect((await ready()).status).toBe(200)
  } finally {
    await unlock()
    await server.dispose()
  }
})
