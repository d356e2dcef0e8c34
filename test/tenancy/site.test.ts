import { expect, test } from 'vitest'
import { parseDomain, parseOrigin } from '../../server/tenancy/site.ts'

test.each([
  ['docs.example.com', 'docs.example.com'],
  ['DOCS.Example.COM', 'docs.example.com'],
  ['localhost', 'localhost'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['https://docs.example.com', undefined],
  ['docs.example.com:8080', undefined],
  ['docs.example.com/path', undefined],
  ['user@docs.example.com', undefined],
  ['docs..example.com', undefined],
  ['-docs.example.com', undefined],
  ['docs.example.com.', undefined],
  [`${'a'.repeat(64)}.com`, undefined],
  [`${'a.'.repeat(127)}com`, undefined],
  ['docs.example.com\0', undefined],
  ['docs.example.com\n', undefined],
  ['', undefined],
])('parseDomain(%j) is %j', (given, want) => {
  expect(parseDomain(given)).toBe(want)
})

test.each([
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['https://docs.example.com/docs', 'https://docs.example.com/docs/'],
  ['ftp://docs.example.com/', undefined],
  ['http://user:secret@docs.example.com/', undefined],
  ['http://docs.example.com/?a', undefined],
  ['http://docs.example.com/#a', undefined],
  ['docs.example.com', undefined],
])('parseOrigin(%j) is %j', (given, want) => {
  expect(parseOrigin(given)).toBe(want)
})
