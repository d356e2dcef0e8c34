import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DrainRefusedError, type DrainRequest, type DrainSecrets } from '../../../server/analytics/drains/drain.ts'
import { answerFastlyChallenge, type DrainName, drains, toOtlpAnswer } from '../../../server/analytics/drains/drains.ts'

const secret = 'shh-4f1c9a'
const body = '[{"id":"1","source":"static","message":"x"}]'
const sign = (text: string, key = secret) => createHmac('sha1', key).update(text).digest('hex')

async function* inChunks(text: string) {
  for (let at = 0; at < text.length; at += 5) yield Buffer.from(text.slice(at, at + 5))
}

interface Asked extends Partial<Omit<DrainRequest, 'body' | 'query'>> {
  body?: string
  query?: string
}

function ask(name: DrainName, { body = '', query = '', ...request }: Asked, secrets: DrainSecrets) {
  return drains[name](
    { method: 'POST', headers: {}, query: new URLSearchParams(query), body: inChunks(body), ...request },
    secrets,
  )
}

async function readBody(reading: Awaited<ReturnType<typeof ask>>): Promise<string> {
  if (reading.kind !== 'batch') throw new Error(`not a batch: ${reading.kind}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of reading.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('vercel', () => {
  const secrets = { vercelSecret: secret, vercelCode: 'code-1' }
  const signed = (text: string, signature = sign(text)): Asked => ({
    body: text,
    headers: { 'x-vercel-signature': signature },
  })

  test('a signed body is a batch in the format of Vercel, and the answer has the code', async () => {
    const reading = await ask('vercel', signed(body), secrets)
    expect(reading).toMatchObject({
      kind: 'batch',
      settings: { format: 'vercel' },
      headers: { 'x-vercel-verify': 'code-1' },
    })
    expect(await readBody(reading)).toBe(body)
  })

  test.each([
    ['of another body', sign(`${body} `)],
    ['with another secret', sign(body, 'other')],
    ['cut off', sign(body).slice(0, -1)],
    ['empty', ''],
    ['no digits', 'zz'],
  ])('a signature %s is refused when the body has been read', async (_, signature) => {
    const reading = await ask('vercel', signed(body, signature), secrets)
    const error = await readBody(reading).catch(error => error)
    expect(error).toBeInstanceOf(DrainRefusedError)
    expect(error).toMatchObject({ status: 403 })
    expect(error.message).not.toContain(secret)
  })

  test('a changed byte of the body is refused', async () => {
    const reading = await ask('vercel', { ...signed(body.replace('1', '2'), sign(body)) }, secrets)
    await expect(readBody(reading)).rejects.toThrow('does not match')
  })

  test('a body without a signature is refused, and so is a signed one without a configured secret', async () => {
    expect(await ask('vercel', { body }, secrets)).toMatchObject({ kind: 'refused', status: 403 })
    expect(await ask('vercel', { ...signed(body, sign(body, '')) }, {})).toMatchObject({ kind: 'refused', status: 403 })
    expect(await ask('vercel', { ...signed(body, sign(body, '')) }, { vercelSecret: '' })).toMatchObject({
      kind: 'refused',
    })
    const headers = { 'x-vercel-signature': [sign(body), sign(body)] }
    expect(await ask('vercel', { body, headers }, secrets)).toMatchObject({ kind: 'refused' })
  })

  test.each(['GET', 'POST'])(
    'a %s without a body is the check of Vercel, and is answered with the code',
    async method => {
      const want = { kind: 'answer', status: 200, headers: { 'x-vercel-verify': 'code-1' }, body: '' }
      expect(await ask('vercel', { method }, secrets)).toEqual(want)
    },
  )
})

describe.each(['netlify', 'cloudflare', 'fastly', 'collector', 'otlp'] as const)('%s', name => {
  const given: [string, Asked][] = [
    ['Authorization', { headers: { authorization: `Bearer ${secret}` } }],
    ['X-Quire-Token', { headers: { 'x-quire-token': secret } }],
    ['the address', { query: `token=${secret}` }],
    ['an API key, which was checked before', { isAuthenticated: true }],
  ]

  test.each(given)('accepts the token in %s', async (_, request) => {
    const reading = await ask(
      name,
      { body, ...request, headers: { ...request.headers, 'content-encoding': 'gzip' } },
      { token: secret },
    )
    expect(reading).toMatchObject({ kind: 'batch', encoding: 'gzip' })
    expect(await readBody(reading)).toBe(body)
  })

  test.each([
    {},
    { headers: { authorization: `Bearer ${secret}x` } },
    { headers: { authorization: secret } },
    { headers: { authorization: `Basic ${secret}` } },
    { headers: { authorization: 'Bearer other' }, query: `token=${secret}` },
    { headers: { 'x-quire-token': '' } },
    { query: 'token=' },
  ] as Asked[])('refuses %j', async request => {
    expect(await ask(name, { body, ...request }, { token: secret })).toMatchObject({ kind: 'refused', status: 401 })
  })

  test('without a configured token, nothing is accepted', async () => {
    for (const token of [undefined, '']) {
      for (const request of [{}, { query: 'token=' }, { headers: { 'x-quire-token': '' } }]) {
        expect(await ask(name, { body, ...request }, token === undefined ? {} : { token })).toMatchObject({
          status: 401,
        })
      }
    }
  })

  test('other methods are refused', async () => {
    expect(await ask(name, { method: 'GET', isAuthenticated: true }, {})).toMatchObject({
      status: 405,
      headers: { Allow: 'POST' },
    })
  })
})

test('OTLP in protobuf is refused, and told to be sent as JSON', async () => {
  const headers = { 'content-type': 'application/x-protobuf' }
  expect(await ask('otlp', { headers, isAuthenticated: true }, {})).toMatchObject({ kind: 'refused', status: 415 })
})

test('the challenge of Fastly has the SHA-256 of each service id on its own line, and * for each', () => {
  const hex = createHash('sha256').update('SU1Z0isxPaozGVKXdv0eY').digest('hex')
  expect(answerFastlyChallenge(['SU1Z0isxPaozGVKXdv0eY', '*'])).toBe(`${hex}\n*\n`)
})

test('OTLP is told how many records were unreadable', () => {
  expect(toOtlpAnswer([])).toEqual({})
  expect(
    toOtlpAnswer([
      { reason: 'wrong-format', count: 2 },
      { reason: 'bad-date', count: 1 },
    ]),
  ).toEqual({
    partialSuccess: { rejectedLogRecords: '3', errorMessage: 'Unreadable: wrong-format 2, bad-date 1.' },
  })
})
