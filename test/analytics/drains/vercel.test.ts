import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkSignature, SignatureError } from '../../../server/analytics/drains/vercel.ts'

const secret = 'shh-4f1c9a'
const body = '[{"id":"1","source":"static","message":"x"}]'
const sign = (text: string, key = secret) => createHmac('sha1', key).update(text).digest('hex')

async function check(text: string, signature: string | undefined, secrets = ['earlier', secret]): Promise<string> {
  async function* inChunks() {
    for (let at = 0; at < text.length; at += 5) yield Buffer.from(text.slice(at, at + 5))
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of checkSignature(inChunks(), signature, secrets)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test.each([sign(body), sign(body).toUpperCase(), sign(body, 'earlier')])(
  'a signed body is passed on: %s',
  async given => {
    expect(await check(body, given)).toBe(body)
  },
)

test.each([
  ['missing', undefined],
  ['of another body', sign(`${body} `)],
  ['with another secret', sign(body, 'other')],
  ['cut off', sign(body).slice(0, -2)],
  ['followed by more', `${sign(body)}00`],
  ['empty', ''],
  ['no digits', 'zz'],
])('a signature that is %s is refused, and the error does not have the secret', async (_, signature) => {
  const error = await check(body, signature).catch(error => error)
  expect(error).toBeInstanceOf(SignatureError)
  expect(error.message).not.toContain(secret)
})

test('a changed byte of the body is refused, and so is a server without a secret', async () => {
  await expect(check(body.replace('1', '2'), sign(body))).rejects.toThrow('does not match')
  await expect(check(body, sign(body, ''), [])).rejects.toThrow('does not match')
})
