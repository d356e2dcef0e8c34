import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { type OutputChunk, rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Bundles an entry of the package into one script, and lists the packages and parts of Node that it imports. */
async function bundle(entry: string): Promise<{ code: string; imported: string[] }> {
  const imported: string[] = []
  const bundled = await rolldown({
    input: join(root, entry),
    platform: 'browser',
    external: id => {
      const isOwn = id.startsWith('.') || id.startsWith('/')
      if (!isOwn) imported.push(id)
      return !isOwn
    },
  })
  const { output } = await bundled.generate({ format: 'iife', name: 'entry' })
  await bundled.close()
  return { code: (output[0] as OutputChunk).code, imported }
}

test.each(['spec/package/mock/index.ts', 'spec/package/mock/msw.ts', 'spec/package/server/fetch.ts'])(
  '%s imports no package and nothing of Node',
  async entry => {
    expect((await bundle(entry)).imported).toEqual([])
  },
)

test('the mock runs with the globals that web browsers have', async () => {
  const { code } = await bundle('spec/package/mock/index.ts')
  const globals = {
    Request,
    Response,
    Headers,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    crypto,
    Blob,
    btoa,
    setTimeout,
  }
  const context = createContext({ ...globals })
  const { createMock } = runInContext(`${code}; entry`, context)
  const mock = createMock({ stepSeconds: 1 })
  const headers = { Authorization: 'Bearer any', 'Content-Type': 'application/json' }
  const post = async (path: string, body: string) =>
    (await mock.answer(new Request(`http://mock.test${path}`, { method: 'POST', headers, body }))).status
  expect(await post('/v1/static-export/jobs', '{"domain":"docs.example.com"}')).toBe(202)
  expect(await post('/quire/v1/webhooks', '{"url":"https://a.example/"}')).toBe(201)
  expect(await post('/quire/v1/visits', 'GET /')).toBe(200)
})
