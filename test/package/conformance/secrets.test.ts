import { expect, test } from 'vitest'
import { writeCurl } from '../../../spec/package/conformance/curl.ts'
import { createSecrets } from '../../../spec/package/conformance/secrets.ts'

const secrets = createSecrets()
secrets.add('quire_0123456789', 'KEY')
secrets.add('quire_0123456789x', 'WRONG_KEY')
secrets.add('http://h/b?expires=1&signature=abc', 'BUNDLE_URL')
secrets.add('any', 'SHORT')

test.each([
  ['the key quire_0123456789.', 'the key $KEY.'],
  ['quire_0123456789x', '$WRONG_KEY'],
  ['get http://h/b?expires=1&signature=abc now', 'get $BUNDLE_URL now'],
  [encodeURIComponent('http://h/b?expires=1&signature=abc'), '$BUNDLE_URL'],
  ['another link?expires=1&signature=0f0f&a=1', 'another link?expires=1&signature=$SIGNATURE&a=1'],
  ['Bearer any company', 'Bearer $SHORT company'],
])('%s is shown as %s', (text, shown) => {
  expect(secrets.mask(text)).toBe(shown)
})

const request = { method: 'GET', target: '/v1/a?b=1', headers: {} }

test.each([
  [request, "curl -i 'http://h/v1/a?b=1'"],
  [
    { ...request, headers: { Authorization: 'Bearer quire_0123456789' } },
    `curl -i -H "Authorization: Bearer $KEY" 'http://h/v1/a?b=1'`,
  ],
  [
    { ...request, headers: { Authorization: 'Bearer `$(id) quire_0123456789' } },
    `curl -i -H "Authorization: Bearer \\\`\\$(id) $KEY" 'http://h/v1/a?b=1'`,
  ],
  [
    { ...request, method: 'POST', headers: { 'Content-Type': '' }, body: `{"a":"it's"}` },
    `curl -i -X POST -H 'Content-Type;' --data-binary '{"a":"it'\\''s"}' 'http://h/v1/a?b=1'`,
  ],
  [{ ...request, target: '/v1/../a?b[]=1' }, "curl -i --path-as-is --globoff 'http://h/v1/../a?b[]=1'"],
])('%j is %s', (given, line) => {
  expect(writeCurl('http://h/', given, secrets.mask)).toBe(line)
})
