import { expect, test } from 'vitest'
import { Hosts } from '../../../server/analytics/import/visited-projects.ts'

function find(hosts: Hosts<string>, name: string): string | undefined {
  const bytes = Buffer.from(`<${name}>`)
  return hosts.find(bytes, 1, bytes.length - 1)
}

const targets = new Map([['docs.example.com', 'docs']])

test.each([
  'docs.example.com',
  'docs.example.com:443',
  'Docs.EXAMPLE.com',
  'docs.example.com.',
  'docs.example.com.:80',
])('%s is the host of the site', name => {
  expect(find(new Hosts(targets), name)).toBe('docs')
})

test.each(['example.com', 'www.docs.example.com', '', '-', '203.0.113.9', `${'a'.repeat(9000)}.docs.example.com`])(
  '%s is not the host of a site',
  name => {
    expect(find(new Hosts(targets), name)).toBeUndefined()
  },
)

test('counts the lines of unknown hosts, highest first, in any spelling', () => {
  const hosts = new Hosts(targets)
  for (const name of ['b.example', 'a.example', 'A.example:80', 'docs.example.com', 'b\0']) find(hosts, name)
  expect([...hosts.unknown]).toEqual([
    ['a.example', 2],
    ['b.example', 1],
    ['(unreadable)', 1],
  ])
})

test('a flood of names evicts only rare hosts', () => {
  const hosts = new Hosts(targets)
  for (let i = 0; i < 100_000; i++) {
    find(hosts, `host-${i}.example`)
    if (i % 10 === 0) find(hosts, 'often.example')
  }
  expect(hosts.unknown.size).toBeLessThan(20_000)
  expect([...hosts.unknown][0]).toEqual(['often.example', 10_000])
  expect(find(hosts, 'docs.example.com')).toBe('docs')
})
