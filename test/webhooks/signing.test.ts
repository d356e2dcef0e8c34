import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createWebhookSecret, signMessage } from '../../server/webhooks/signing.ts'

// The example of the reference libraries of Standard Webhooks.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
const at = 1_614_265_330_000

test('the published vector of Standard Webhooks is signed with the published signature', () => {
  expect(signMessage(message, at + 999, [secret])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('each secret signs the bytes of the body, in the order of the secrets', () => {
  const other = createWebhookSecret()
  const body = '{"name":"Größe \u{1F680}"}'
  const headers = signMessage({ ...message, body }, at, [other, secret])
  const expected = [other, secret].map(each => {
    const key = Buffer.from(each.replace('whsec_', ''), 'base64')
    const text = Buffer.concat([Buffer.from(`${message.id}.1614265330.`), Buffer.from(body, 'utf8')])
    return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  })
  expect(headers['webhook-signature']?.split(' ')).toEqual(expected)
})

test('a new secret has 24 to 64 random bytes in base64 after whsec_', () => {
  const secrets = [createWebhookSecret(), createWebhookSecret()]
  expect(secrets[0]).not.toBe(secrets[1])
  for (const each of secrets) {
    expect(each).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
    const { length } = Buffer.from(each.slice('whsec_'.length), 'base64')
    expect(length).toBeGreaterThanOrEqual(24)
    expect(length).toBeLessThanOrEqual(64)
  }
})
