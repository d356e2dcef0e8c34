import { expect, test } from 'vitest'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { parseS3Location, showS3Location, toS3Url } from '../../../server/store/s3/s3-location.ts'
import fc from '../../support/fast-check.ts'

const plain = { bucket: 'docs', prefix: '', endpoint: undefined, region: undefined, isPathStyle: false }

test.each([
  ['s3://docs', plain],
  ['s3://docs/', plain],
  ['s3://docs/quire', { ...plain, prefix: 'quire/' }],
  ['s3://docs//quire//bundles/', { ...plain, prefix: 'quire/bundles/' }],
  ['s3://my.docs-1?region=eu-central-1', { ...plain, bucket: 'my.docs-1', region: 'eu-central-1' }],
  ['s3://docs?path-style=true', { ...plain, isPathStyle: true }],
  [
    's3://docs/q?endpoint=http://127.0.0.1:9000/',
    { ...plain, prefix: 'q/', endpoint: 'http://127.0.0.1:9000', region: 'us-east-1', isPathStyle: true },
  ],
  [
    's3://docs?endpoint=https%3A%2F%2Fs3.example.com%2Fstorage&region=garage&path-style=false',
    { ...plain, endpoint: 'https://s3.example.com/storage', region: 'garage', isPathStyle: false },
  ],
])('%s is read', (text, location) => {
  expect(parseS3Location(text)).toEqual(location)
})

const usage = '--bundles must be like s3://BUCKET/PREFIX'

test.each([
  ['', usage],
  ['docs', usage],
  ['/var/lib/quire/bundles', usage],
  ['https://s3.example.com/docs', usage],
  ['s3:docs', usage],
  ['s3://docs#part', usage],
  ['s3://', '3 to 63 lower-case letters'],
  ['s3://do', '3 to 63 lower-case letters'],
  ['s3://Docs', '3 to 63 lower-case letters'],
  ['s3://my_docs', '3 to 63 lower-case letters'],
  [`s3://${'d'.repeat(64)}`, '3 to 63 lower-case letters'],
  ['s3://name:hunter2@docs/q', 'AWS_ACCESS_KEY_ID'],
  ['s3://docs:9000/q', 'without a name, password or port'],
  ['s3://docs/a%20b', 'The prefix in --bundles may have'],
  ['s3://docs/.../b', 'The prefix in --bundles may have'],
  ['s3://docs?endpont=https://s3.example.com', 'The parameters are endpoint, region, path-style, each once'],
  ['s3://docs?region=a&region=b', 'each once'],
  ['s3://docs?secret=hunter2', 'each once'],
  ['s3://docs?endpoint=s3.example.com', 'The endpoint in --bundles must be like'],
  ['s3://docs?endpoint=https://name:hunter2@s3.example.com', 'The endpoint in --bundles must be like'],
  ['s3://docs?endpoint=https://s3.example.com?token=hunter2', 'The endpoint in --bundles must be like'],
  ['s3://docs?path-style=yes', 'path-style in --bundles must be true or false'],
])('%s is refused with a sentence that does not repeat it', (text, sentence) => {
  const error = catchError(() => parseS3Location(text))
  expect(error).toBeInstanceOf(OperatorError)
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(sentence) })
  expect(String(error)).not.toContain('hunter2')
})

test('a prefix cannot lead out of itself', () => {
  // The parser of addresses resolves the dots.
  expect(parseS3Location('s3://docs/a/../../b').prefix).toBe('b/')
})

test('the address of a location is read as the same location', () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,20}[a-z0-9]$/)
  const locations = fc.record({
    bucket: name,
    prefix: fc.array(name, { maxLength: 3 }).map(parts => parts.map(part => `${part}/`).join('')),
    endpoint: fc.option(fc.constantFrom('https://s3.example.com:9000', 'http://10.0.0.1/a&b'), { nil: undefined }),
    region: fc.option(fc.constantFrom('us-east-1', 'eu-central-1'), { nil: undefined }),
    isPathStyle: fc.boolean(),
  })
  fc.assert(
    fc.property(locations, location => {
      const region = location.region ?? (location.endpoint === undefined ? undefined : 'us-east-1')
      expect(parseS3Location(toS3Url(location))).toEqual({ ...location, region })
    }),
  )
  expect(toS3Url(parseS3Location('s3://docs/q/?endpoint=http://127.0.0.1:9000'))).toBe(
    's3://docs/q?endpoint=http://127.0.0.1:9000',
  )
})

test('a message names the bucket, the prefix and the endpoint', () => {
  expect(showS3Location(parseS3Location('s3://docs/q'))).toBe('s3://docs/q/')
  expect(showS3Location(parseS3Location('s3://docs?endpoint=http://127.0.0.1:9000'))).toBe(
    's3://docs/ at http://127.0.0.1:9000',
  )
})

function catchError(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
