import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient, QuireError, waitForExport } from '../../../spec/package/client/index.ts'
import { apiKey, openScripted, refuse, type Scripted } from './scripted-client.ts'

const job = { params: { path: { jobId: 'se_0f3c9a1b2d4e5f60' } } }
const once = { retry: { attempts: 1 } }
const withId = { 'X-Request-Id': 'req-1' }

async function failure(script: Scripted[]): Promise<QuireError> {
  const error = await openScripted(script, once)
    .client.getStaticExportJob(job)
    .catch(thrown => thrown)
  expect(error).toBeInstanceOf(QuireError)
  return error
}

test.each<{ given: string; answer: Response; message: string; status: number; body: unknown }>([
  {
    given: 'HTML with 200',
    answer: new Response('<!doctype html><p>Welcome', { headers: withId }),
    message: 'getStaticExportJob: the body of the answer 200 is not JSON. (request id req-1)',
    status: 200,
    body: undefined,
  },
  {
    given: 'HTML of a proxy',
    answer: new Response('<h1>Bad Gateway</h1>', { status: 502, headers: withId }),
    message:
      'getStaticExportJob: the server answered 502, which the API does not document for this operation. (request id req-1)',
    status: 502,
    body: '<h1>Bad Gateway</h1>',
  },
  {
    given: 'a documented status with another body',
    answer: new Response('nothing here', { status: 404 }),
    message: 'getStaticExportJob: the answer 404 does not have the body that the API documents.',
    status: 404,
    body: 'nothing here',
  },
  {
    given: 'an empty success',
    answer: new Response('', { headers: { 'Content-Length': '0' } }),
    message: 'getStaticExportJob: the answer 200 does not have the body that the API documents.',
    status: 200,
    body: undefined,
  },
  {
    given: 'a redirect',
    answer: new Response(null, { status: 301, headers: { Location: 'https://elsewhere.example/' } }),
    message: 'getStaticExportJob: the server redirects. Use the address where the API itself answers as baseUrl.',
    status: 301,
    body: '',
  },
  {
    given: 'an undocumented success',
    answer: Response.json({}, { status: 201 }),
    message: 'getStaticExportJob: the server answered 201, which the API does not document for this operation.',
    status: 201,
    body: {},
  },
])('$given is an error with status, body and request id', async ({ answer, message, status, body }) => {
  expect(await failure([answer])).toMatchObject({ message, status, body, operation: 'getStaticExportJob' })
})

test('a documented refusal is no error, and has its request id', async () => {
  const { client } = openScripted([refuse(404, 'No export job has this id.', withId)])
  expect(await client.getStaticExportJob(job)).toMatchObject({
    status: 404,
    requestId: 'req-1',
    error: { error: 'No export job has this id.' },
  })
})

describe('the API key is in nothing that can be printed', () => {
  const echo = `no access for Bearer ${apiKey}`
  test.each<{ given: string; script: Scripted[] }>([
    { given: 'a body that repeats it', script: [new Response(echo, { status: 502 })] },
    { given: 'JSON that repeats it', script: [Response.json({ error: echo }, { status: 502 })] },
    { given: 'text that repeats it with 200', script: [new Response(echo)] },
    { given: 'a request id', script: [new Response('', { status: 502, headers: { 'X-Request-Id': apiKey } })] },
    {
      given: 'a request id with 200 and no JSON',
      script: [new Response('x', { headers: { 'X-Request-Id': apiKey } })],
    },
    { given: 'names of JSON', script: [Response.json({ [apiKey]: [{ a: echo }] }, { status: 502 })] },
    {
      given: 'an error of fetch that holds the request',
      script: [
        request => Object.assign(new TypeError(`cannot send ${apiKey}`), { request, headers: [...request.headers] }),
      ],
    },
  ])('$given', async ({ script }) => {
    const error = await failure(script)
    for (const text of [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), error.message]) {
      expect(text).not.toContain(apiKey)
    }
  })

  test.each<{ given: string; answer: Response }>([
    { given: 'a documented refusal', answer: refuse(404, echo, { 'X-Request-Id': apiKey }) },
    {
      given: 'a job',
      answer: Response.json({ status: 'failed', error: echo }, { headers: { 'X-Request-Id': apiKey } }),
    },
  ])('$given that repeats it', async ({ answer }) => {
    const { client } = openScripted([answer])
    const { response: _, ...given } = await client.getStaticExportJob(job)
    expect(given.requestId).toBe('[API key]')
    const waited: unknown[] = []
    try {
      for await (const state of waitForExport(client, 'se_1')) waited.push(state)
    } catch (error) {
      waited.push(error)
    }
    for (const value of [given, waited]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(apiKey)
      expect(inspect(value, { depth: 9 })).toContain('no access for Bearer [API key]')
    }
  })

  test('a short key is hidden after Bearer, and stays in other words', async () => {
    const { client } = openScripted([refuse(404, 'any of many, for Bearer any')], { apiKey: 'any' })
    const { error } = await client.getStaticExportJob(job)
    expect(error?.error).toBe('any of many, for Bearer [API key]')
  })

  test('the client, and an answer', async () => {
    const { client } = openScripted([refuse(404, 'unknown')])
    const answer = await client.getStaticExportJob(job)
    for (const value of [client, answer]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(apiKey)
      expect(JSON.stringify(value)).not.toContain(apiKey)
    }
  })

  test.each([`${apiKey}\n`, `${apiKey} x`, `${apiKey}\u2026`])('a key that no header can carry: %j', key => {
    const create = () => createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: key })
    expect(create).toThrow('apiKey has a space, a line break or a character that is not ASCII.')
    expect(create).not.toThrow(apiKey)
  })
})

test.each([
  ['', 'baseUrl is not an http or https URL'],
  ['/api', 'baseUrl is not an http or https URL'],
  ['file:///etc', 'baseUrl is not an http or https URL'],
  ['http://user:secret@127.0.0.1', 'baseUrl has a user, a password, a query or a fragment'],
  ['http://127.0.0.1/?a=b', 'baseUrl has a user, a password, a query or a fragment'],
])('refuses the address %j', (baseUrl, message) => {
  const create = () => createClient({ baseUrl, apiKey })
  expect(create).toThrow(message)
  expect(create).not.toThrow('secret')
})

test('refuses an empty key', () => {
  expect(() => createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: '' })).toThrow('apiKey is empty.')
})
