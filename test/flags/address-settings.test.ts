import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { addressSettings, readAddresses } from '../../server/flags/address-settings.ts'
import { parse } from './parse.ts'

const read = (...args: string[]) => readAddresses(parse(addressSettings, ...args))

describe('--public-url', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.example.com:443/quire//', 'https://api.example.com/quire'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ])('%s is read as %s', (given, want) => {
    expect(read('--public-url', given).publicUrl).toBe(want)
  })

  test.each([
    ['https://api.example.com/?a=b', 'no query and no fragment'],
    ['https://api.example.com/?', 'no query and no fragment'],
    ['https://api.example.com/#a', 'no query and no fragment'],
    ['https://api.example.com/quire#', 'no query and no fragment'],
    ['https://user@api.example.com', 'no user and no password'],
    ['http://0.0.0.0:8787', 'that clients can reach'],
    ['http://0:8787', 'that clients can reach'],
    ['http://[::]:8787', 'that clients can reach'],
    ['http://[2001:db8::1]:8787', 'pasted into shells'],
    ["https://api.example.com/a'b", 'pasted into shells'],
    ['api.example.com', 'must be an http(s) URL'],
    ['ftp://api.example.com', 'must be an http(s) URL'],
    ['', 'must be an http(s) URL'],
  ])('%s is refused', (given, message) => {
    expect(() => read('--public-url', given)).toThrow(message)
  })
})

test('an IPv6 address to listen on needs a public URL, because links cannot contain it', () => {
  expect(() => read('--host', '2001:db8::1')).toThrow('needs --public-url')
  expect(read('--host', '2001:db8::1', '--public-url', 'https://a.example').host).toBe('2001:db8::1')
  for (const host of ['::', '::0', '::1', '0.0.0.0', 'localhost']) expect(read('--host', host).host).toBe(host)
})

test('--trusted-proxies and --cors-origin can be repeated and are lists; by default there are none', () => {
  expect(read()).toMatchObject({ publicUrl: undefined, trustedProxies: [], corsOrigins: [] })
  const { trustedProxies, corsOrigins } = read(
    ...['--trusted-proxies', '127.0.0.1, 10.0.0.0/8', '--trusted-proxies', '::1'],
    ...['--cors-origin', 'https://a.example,HTTPS://B.example:443/', '--cors-origin', 'http://localhost:5173'],
  )
  expect(trustedProxies.map(({ first, prefixBits }) => `${first}/${prefixBits}`)).toEqual([
    '127.0.0.1/32',
    '10.0.0.0/8',
    '::1/128',
  ])
  expect(corsOrigins).toEqual(['https://a.example', 'https://b.example', 'http://localhost:5173'])
})

test.each([
  ['--trusted-proxies', 'proxy.example.com'],
  ['--trusted-proxies', '10.0.0.0/40'],
  ['--cors-origin', '*'],
  ['--cors-origin', 'null'],
  ['--cors-origin', 'app.example.com'],
  ['--cors-origin', 'https://app.example.com/path'],
  ['--cors-origin', 'https://app.example.com/?a'],
  ['--cors-origin', 'https://user@app.example.com'],
  ['--cors-origin', ''],
])('%s %s is refused', (...args) => {
  expect(() => read(...args)).toThrow(CommanderError)
})
