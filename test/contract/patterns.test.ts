import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Document, Parameter, Schema } from '../../scripts/generate/document.ts'
import { callInThread } from '../support/thread.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')) as Document
const schemas = document.components.schemas as Record<string, Schema>
const ajv = new Ajv2020({ strict: false })
const isStart = ajv.compile({
  ...schemas.StartExport,
  properties: { ...schemas.StartExport?.properties, features: {} },
})
const isDate = ajv.compile(schemas.DateOrDateTime as Schema)
const idempotencyKey = document.components.parameters?.IdempotencyKey as Parameter
const isIdempotencyKey = ajv.compile(idempotencyKey.schema)
const bundleUrl = schemas.ExportBundle?.properties?.bundleUrl as Schema
const isBundleUrl = ajv.compile({ pattern: bundleUrl.pattern })

const label63 = 'a'.repeat(63)

describe('domain', () => {
  test.each([
    'docs.example.com',
    'DOCS.Example.com',
    'localhost',
    'xn--bcher-kva.example',
    '3.docs.example.com',
    `${label63}.com`,
    [label63, label63, label63, 'a'.repeat(61)].join('.'),
  ])('accepts %s', domain => {
    expect(isStart({ domain })).toBe(true)
  })

  test.each([
    '',
    'https://docs.example.com',
    'docs.example.com:443',
    'docs.example.com/',
    'docs.example.com/a',
    'user@docs.example.com',
    'docs.example.com.',
    '.example.com',
    'docs..example.com',
    '-docs.example.com',
    'docs-.example.com',
    'docs_example.com',
    'bücher.example',
    'docs.example.com\n',
    ' docs.example.com',
    'docs.example.com?x',
    'docs.example.com#x',
    '[::1]',
    `${label63}a.com`,
    [label63, label63, label63, 'a'.repeat(62)].join('.'),
    7,
    null,
  ])('refuses %j', domain => {
    expect(isStart({ domain })).toBe(false)
  })
})

describe('paths', () => {
  test.each([
    '/',
    '/a',
    '/a/',
    '/a/b.html',
    '/v1.2/..a/b..',
    '/a...b',
    '/...',
    '/caf%C3%A9',
    '/überblick',
    '/a:b@c',
    '/%2Ehidden',
    'index',
    'a',
    'guides/getting-started',
    'a/b:c',
    '.hidden/a',
  ])('accepts %s', path => {
    expect(isStart({ domain: 'a.example', paths: [path] })).toBe(true)
  })

  test.each([
    '',
    '.',
    '..',
    '../a',
    'a/..',
    'a//b',
    'a b',
    'a?b',
    'a:b',
    ':a',
    '%2e%2e/a',
    '//evil.example',
    '/a//b',
    '/..',
    '/../etc/passwd',
    '/a/../b',
    '/a/..',
    '/a/./b',
    '/%2e%2e/b',
    '/a/.%2E',
    '/a%2f..%2fb',
    '/a%5cb',
    '/a%00',
    '/a%0d%0a',
    '/a%7f',
    '/100%',
    '/%zz',
    '/a\\b',
    '/a b',
    '/a\tb',
    '/a\nb',
    '/a\u0000',
    '/a\u007f',
    '/a?b',
    '/a#b',
    'https://docs.example.com/a',
    'javascript:alert(1)',
    `/${'a'.repeat(2048)}`,
    7,
    null,
  ])('refuses %j', path => {
    expect(isStart({ domain: 'a.example', paths: [path] })).toBe(false)
  })

  test.each([
    { given: ['/a', '/a'], why: 'the same page twice' },
    { given: Array.from({ length: 1001 }, (_, i) => `/${i}`), why: 'more than 1,000 pages' },
    { given: '/a', why: 'a string' },
  ])('refuses $why', ({ given }) => {
    expect(isStart({ domain: 'a.example', paths: given })).toBe(false)
  })

  test('takes an empty list, which is the whole site', () => {
    expect(isStart({ domain: 'a.example', paths: [] })).toBe(true)
  })

  test('checks texts made to slow down the patterns in linear time', async () => {
    // Without the length limits. In quadratic time, texts of this length would exceed the timeout by far.
    const { StartExport } = schemas
    const limited = { ...StartExport, properties: { ...StartExport?.properties, features: {} } }
    const schema = JSON.parse(JSON.stringify(limited, (key, value) => (key === 'maxLength' ? undefined : value)))
    const parts = ['/.', '/..a', '%2e', '/%2', '/a/.%2e', '//', 'a']
    const starts = [
      ...parts.map(part => ({ domain: 'a.example', paths: [`/${part.repeat(1_000_000)}`] })),
      ...parts.map(part => ({ domain: 'a.example', paths: [`a${part.repeat(1_000_000)}`] })),
      { domain: 'a.example', version: `a${' -'.repeat(1_000_000)}!` },
      { domain: `${'a-'.repeat(1_000_000)}!` },
    ]
    const decide = ({ Ajv2020 }: typeof import('ajv/dist/2020.js'), given: object, values: unknown[]) =>
      values.map(value => new Ajv2020({ strict: false }).validate(given, value))
    const decided = await callInThread('node_modules/ajv/dist/2020.js', decide, schema, starts)
    expect(decided).toHaveLength(starts.length)
    expect(decided.at(-1)).toBe(false)
  })
})

describe('other fields of a start', () => {
  test.each([
    { field: { version: 'v2.4.0-rc.1' }, valid: true },
    { field: { version: '' }, valid: false },
    { field: { version: '-rc' }, valid: false },
    { field: { version: 'Release 2.4 LTS' }, valid: true },
    { field: { version: 'a ' }, valid: false },
    { field: { version: 'a\tb' }, valid: false },
    { field: { version: 'a/b' }, valid: false },
    { field: { version: 'a'.repeat(65) }, valid: false },
    { field: { deployment: 'client-hosted' }, valid: true },
    { field: { deployment: 'moon' }, valid: false },
    { field: { format: 'tar.gz' }, valid: true },
    { field: { format: 'rar' }, valid: false },
    { field: { path: ['/a'] }, valid: false },
    { field: { version: null }, valid: false },
  ])('$field is valid: $valid', ({ field, valid }) => {
    expect(isStart({ domain: 'a.example', ...field })).toBe(valid)
  })
})

describe('dateFrom and dateTo', () => {
  test.each([
    '2026-11-20',
    '2026-11-20T10:11',
    '2026-11-20T10:11Z',
    '2026-11-20T10:11:12',
    '2026-11-20T10:11:12Z',
    '2026-11-20T10:11:12.123456+00:00',
    '2026-11-20T10:11:12.123456 00:00',
    '2026-11-20T10:11:12.123456789-0330',
  ])('accept %s', date => {
    expect(isDate(date)).toBe(true)
  })

  test.each([
    '',
    '2026',
    '2026-11',
    '20261120',
    '2026-1-2',
    '2026-11-20T',
    '2026-11-20 10:11',
    '2026-11-20T10',
    '2026-11-20T10:11:12.',
    '2026-11-20T10:11:12.1234567890Z',
    '2026-11-20Z',
    '2026-11-20T10:11+1',
    '1763632800',
    'yesterday',
    '2026-11-20\n',
  ])('refuse %j', date => {
    expect(isDate(date)).toBe(false)
  })
})

test.each([
  { key: 'release-2026.11/attempt 1', valid: false },
  { key: 'release-2026.11/attempt~1!', valid: true },
  { key: '', valid: false },
  { key: 'ä', valid: false },
  { key: 'a'.repeat(256), valid: false },
])('Idempotency-Key $key is valid: $valid', ({ key, valid }) => {
  expect(isIdempotencyKey(key)).toBe(valid)
})

test.each([
  { url: 'http://127.0.0.1:8787/bundles/se_0f3c9a1b2d4e5f60/a.zip?expires=1&signature=0f', valid: true },
  { url: 'http://127.0.0.1/a,b', valid: false },
  { url: 'http://127.0.0.1/$(id)', valid: false },
  { url: 'http://[::1]/a', valid: false },
])('bundleUrl $url is safe in a shell: $valid', ({ url, valid }) => {
  expect(isBundleUrl(url)).toBe(valid)
})
