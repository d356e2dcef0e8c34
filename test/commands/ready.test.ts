import { expect, test } from 'vitest'
import { startServer } from '../export/static-server.ts'
import { runQuire } from '../support/process.ts'

/** Starts a server whose `/readyz` gives these answers, and then the last one again. */
async function answering(
  ...answers: [status: number, body: object][]
): Promise<{ port: string; close(): Promise<unknown> }> {
  let asked = 0
  const { origin, close } = await startServer((request, response) => {
    const [status, body] = answers[Math.min(asked, answers.length - 1)] ?? [500, {}]
    asked += 1
    response.writeHead(request.url === '/readyz' ? status : 404).end(JSON.stringify(body))
  })
  return { port: origin.port, close }
}

const ready = (port: string, ...args: string[]) => runQuire(['ready', '--port', port, ...args])

test('says that a server is ready, also one that listens on all addresses', async () => {
  const server = await answering([200, { status: 'ready' }])
  const url = `http://127.0.0.1:${server.port}/readyz`
  const env = { QUIRE_HOST: '0.0.0.0', QUIRE_PORT: server.port }
  const { code, stdout } = await runQuire(['ready', '--json'], { env })
  expect([code, JSON.parse(stdout)]).toEqual([0, { url, ready: true, reason: null }])
  await server.close()
})

test('fails with the reason of the server, unless it becomes ready in time', async () => {
  const reason = 'shutting down'
  const server = await answering([503, { status: 'not ready', reason }])
  const url = `http://127.0.0.1:${server.port}/readyz`
  const failed = await ready(server.port)
  expect([failed.code, failed.stderr]).toEqual([1, `${url} is not ready: ${reason}\n`])
  const json = await ready(server.port, '--json')
  expect([json.code, JSON.parse(json.stdout)]).toEqual([1, { url, ready: false, reason }])
  await server.close()

  const late = await answering([503, { reason }], [503, { reason }], [200, {}])
  expect(await ready(late.port, '--wait', '60')).toMatchObject({ code: 0 })
  await late.close()
})

test('fails where nothing answers, and for a wrong port', async () => {
  const { port, close } = await answering()
  await close()
  const failed = await ready(port)
  expect(failed.code).toBe(1)
  expect(failed.stderr).toMatch(/is not ready: nothing answers there \(ECONNREFUSED\)\.$/m)
  expect(await ready('0')).toMatchObject({ code: 2 })
})
