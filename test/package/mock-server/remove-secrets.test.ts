import { expect, test } from 'vitest'
import { findSecrets, removeSecrets } from '../../../spec/package/mock-server/remove-secrets.ts'

test.each([
  ['/v1/visits?key=quire_abc%5F1&format=netlify', '/v1/visits?key=removed&format=netlify'],
  ['/a?b=1&Token=x%20y&c=2#d', '/a?b=1&Token=removed&c=2#d'],
  ['{"bundleUrl":"http://q/bundles/se_1/a.zip?expires=1&signature=ab"}', '{"bundleUrl":"http://q/bundles/se_1/a.zip"}'],
  ['{"secret":"whsec_aB+/c0=="}', '{"secret":"whsec_removed"}'],
  ['{"secret": "my \\"own\\"", "n": 1}', '{"secret": "removed", "n": 1}'],
  ['the key quire_0123456789abcdef.', 'the key quire_removed.'],
  ['Authorization: Bearer abcdefgh12', 'Authorization: Bearer removed'],
  ['https://me:pass@docs.example.com/a', 'https://removed@docs.example.com/a'],
  [
    'https://s3.example.com/b?X-Amz-Date=1&X-Amz-Signature=ab',
    'https://s3.example.com/b?X-Amz-Date=1&X-Amz-Signature=removed',
  ],
  ['{"key":"value","path":"/guide?page=2"}', '{"key":"value","path":"/guide?page=2"}'],
])('%s becomes %s', (text, want) => {
  expect(removeSecrets(text)).toBe(want)
  expect(removeSecrets(want)).toBe(want)
})

test('what the client sent as its key is removed in every form', () => {
  const secrets = findSecrets('/a?key=p%2Fq%22r', { authorization: 'Bearer my"key/1', cookie: 'a=session1; b=other22' })
  const text = `my"key/1 ${encodeURIComponent('my"key/1')} ${JSON.stringify({ echo: 'my"key/1' })} session1 other22 p/q"r`
  expect(removeSecrets(text, secrets)).toBe('removed removed {"echo":"removed"} removed removed removed')
})
