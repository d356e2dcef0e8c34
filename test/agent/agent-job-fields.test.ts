import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { hasCredentials, isPathSafeId, toHttpUrl } from '../../server/agent/agent-job-fields.ts'
import fc from '../support/fast-check.ts'

const ajv = new Ajv2020()
addFormats.default(ajv)
const isUri = ajv.compile({ type: 'string', format: 'uri' })

test.each([
  ['https://git.example.com/acme/docs/pull/7', 'https://git.example.com/acme/docs/pull/7'],
  ['HTTPS://Git.Example.com:443/a b', 'https://git.example.com/a%20b'],
  ['https://git.example.com', 'https://git.example.com/'],
  [' http://git.example.com/a|b?c=[d]#e{f}', 'http://git.example.com/a%7Cb?c=%5Bd%5D#e%7Bf%7D'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['https://git.example.com/100%/%zz', 'https://git.example.com/100%25/%25zz'],
  ['http://[::1]:3000/a#b#c', 'http://[::1]:3000/a#b%23c'],
])('%s is stored as %s', (given, want) => {
  expect(toHttpUrl(given)).toBe(want)
  expect(isUri(want)).toBe(true)
})

test.each([
  '',
  'acme/docs',
  'javascript:alert(1)',
  'ssh://git@git.example.com/a',
  'data:text/html,a',
  'https://',
  'https://a{b}/',
])('%j is refused', given => {
  expect(toHttpUrl(given)).toBeUndefined()
})

test('whatever is accepted is a URI, and stays the same when it is read again', () => {
  const anyUrl = fc.tuple(fc.constantFrom('http://', 'https://'), fc.webAuthority(), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(anyUrl, ([scheme, host, rest]) => {
      const stored = toHttpUrl(`${scheme}${host}/${rest}`)
      if (stored === undefined) return
      expect({ stored, isUri: isUri(stored) }).toEqual({ stored, isUri: true })
      expect(toHttpUrl(stored)).toBe(stored)
    }),
  )
})

test.each([
  ['aj_1', true],
  ['A.b~c-9', true],
  ['...', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['a/b', false],
  ['a b', false],
  ['a%20b', false],
  ['ä', false],
  ['a:b', false],
  ['a\n', false],
])('the id %j is accepted: %s', (id, accepted) => {
  expect(isPathSafeId(id)).toBe(accepted)
})

test.each([
  ['https://user:secret@git.example.com/a', true],
  ['https://token@git.example.com/a', true],
  ['https://git.example.com/a@b', false],
  ['ssh://git@git.example.com/a', false],
  ['acme/docs', false],
])('%s has a user or a password: %j', (url, want) => {
  expect(hasCredentials(url)).toBe(want)
})
