import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { requestGithub } from '../../../server/agent/change/github.ts'

interface Got {
  method: string
  path: string
  authorization: string | undefined
  body: unknown
}

/** Answers the requests in turn, as GitHub does. */
async function serveGithub(...answers: [status: number, body: unknown][]) {
  const got: Got[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const { method = '', url = '', headers } = request
    got.push({
      method,
      path: url,
      authorization: headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    })
    const [status, body] = answers[got.length - 1] ?? [500, {}]
    response
      .writeHead(status, { location: 'https://elsewhere.example.com' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { got, api: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`) }
}

const request = (fields: Partial<Parameters<typeof requestGithub>[0]>) =>
  requestGithub({
    ...{ repository: new URL('https://github.com/team/docs.git'), credential: { user: 'x', secret: 'ghp_secret' } },
    ...{
      signal: new AbortController().signal,
      head: 'quire/aj_1',
      base: 'main',
      title: 'Fix typo',
      body: 'B',
      isDraft: true,
    },
    ...fields,
  })

const link = 'https://github.com/team/docs/pull/7'

test('asks for a draft of a pull request', async () => {
  const { got, api } = await serveGithub([201, { html_url: link }])
  expect(await request({ api })).toBe(link)
  expect(got).toEqual([
    {
      ...{ method: 'POST', path: '/api/v3/repos/team/docs/pulls', authorization: 'Bearer ghp_secret' },
      body: { head: 'quire/aj_1', base: 'main', title: 'Fix typo', body: 'B', draft: true },
    },
  ])
})

test('finds the pull request that an earlier attempt has made', async () => {
  const { got, api } = await serveGithub(
    [422, { message: 'A pull request already exists' }],
    [200, [{ html_url: link }]],
  )
  expect(await request({ api })).toBe(link)
  expect(got[1]).toMatchObject({
    method: 'GET',
    path: expect.stringContaining('?head=team%3Aquire%2Faj_1&base=main&state=open'),
  })
})

test('asks without a draft where GitHub has none', async () => {
  const { got, api } = await serveGithub(
    [422, { message: 'Draft pull requests are not supported' }],
    [200, []],
    [201, { html_url: link }],
  )
  expect(await request({ api })).toBe(link)
  expect(got[2]?.body).toMatchObject({ draft: false })
})

test.each([
  [401, 'Give it the permission'],
  [404, 'Give it the permission'],
  [301, 'GitHub answered 301'],
  [500, 'GitHub answered 500'],
])('says what to do when GitHub answers %i', async (status, message) => {
  const { got, api } = await serveGithub([status, { message: 'secret details' }])
  await expect(request({ api })).rejects.toMatchObject({
    code: 'push_refused',
    message: expect.stringContaining(message),
  })
  expect(got).toHaveLength(1)
})

test('refuses an answer that is too large', async () => {
  const { api } = await serveGithub([201, 'x'.repeat(5 << 20)])
  await expect(request({ api })).rejects.toThrow('did not answer')
})

test.each(['javascript:alert(1)', 'https://user:secret@github.com/x', 7, undefined])(
  'takes no link from %j',
  async html_url => {
    const { api } = await serveGithub([201, { html_url }])
    expect(await request({ api })).toBeNull()
  },
)

test.each([
  ['https://github.com/team/docs.git', 'https://api.github.com/repos/team/docs/pulls'],
  ['https://github.com/team/docs/', 'https://api.github.com/repos/team/docs/pulls'],
  ['https://acme.ghe.com/team/docs', 'https://api.acme.ghe.com/repos/team/docs/pulls'],
  ['https://git.example.com:8443/team/docs', 'https://git.example.com:8443/api/v3/repos/team/docs/pulls'],
])('finds the API of %s', async (repository, address) => {
  const fetch = vi.fn(async () => Response.json({ html_url: link }, { status: 201 }))
  await request({ repository: new URL(repository), fetch: fetch as unknown as typeof globalThis.fetch })
  expect(fetch.mock.calls).toMatchObject([[new URL(address), { redirect: 'manual' }]])
})

test.each(['https://github.com/team', 'https://github.com/team/docs/more'])('refuses %s', async repository => {
  await expect(request({ repository: new URL(repository) })).rejects.toMatchObject({ code: 'push_refused' })
})
