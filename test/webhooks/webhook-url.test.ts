import { expect, test } from 'vitest'
import { judgeHost, parseAllowedPrivate } from '../../server/webhooks/allowed-private.ts'
import { readWebhookUrl } from '../../server/webhooks/webhook-url.ts'

const none = { names: [], ranges: [] }
const allowed = parseAllowedPrivate('hooks.internal, 10.0.0.0/8,localhost, fd00::/8') ?? none

test.each([
  ['https://hooks.example.com/a?b=c#d', none, 'https://hooks.example.com/a?b=c'],
  ['https://HOOKS.example.com', none, 'https://hooks.example.com/'],
  ['https://93.184.215.14/', none, 'https://93.184.215.14/'],
  ['http://hooks.internal:8080/x', allowed, 'http://hooks.internal:8080/x'],
  ['http://10.1.2.3/', allowed, 'http://10.1.2.3/'],
  ['https://[fd00::1]/', allowed, 'https://[fd00::1]/'],
  ['http://localhost:3000/', allowed, 'http://localhost:3000/'],
])('%s is an address for a webhook', (text, given, want) => {
  expect(readWebhookUrl(text, url => judgeHost(url, given))).toBe(want)
})

test.each([
  ['hooks.example.com', none, 'url must be an https URL'],
  ['ftp://hooks.example.com/', none, 'url must be an https URL'],
  [`https://hooks.example.com/${'x'.repeat(2000)}`, none, 'of at most 2000 characters'],
  ['https://ada:secret@hooks.example.com/', none, 'url has a user or a password. Leave them out'],
  ['http://hooks.example.com/', none, 'url must begin with https://'],
  ['https://127.0.0.1/', none, 'url is not a public address'],
  ['https://[::ffff:169.254.169.254]/', none, 'url is not a public address'],
  ['https://2130706433/', none, 'url is not a public address'],
  ['https://localhost/', none, 'the operator allows it with --webhook-allow-private'],
  ['https://intranet/', none, 'url is not a public address'],
  ['http://11.0.0.1/', allowed, 'url must begin with https://'],
  ['https://192.168.0.1/', allowed, 'url is not a public address'],
])('%s is refused', (text, given, reason) => {
  expect(() => readWebhookUrl(text, url => judgeHost(url, given))).toThrow(reason)
})

test.each(['http://a', 'a b', '10.0.0.0/33', 'a/b', '*.internal'])('--webhook-allow-private refuses %s', text => {
  expect(parseAllowedPrivate(text)).toBeUndefined()
})
