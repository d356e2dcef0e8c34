import { expect, test } from 'vitest'
import { demoAgents } from '../../../server/commands/demo/access-log.ts'
import { generateDemoLog } from '../../../server/commands/demo/demo-log.ts'

const from = 20_730
const to = 20_760
/** A Wednesday. */
const releaseDay = 20_752
const paths = ['/docs', '/docs/start', '/docs/visitors', '/docs/export', '/docs/host']
const replacement = { path: '/docs/visitors', since: releaseDay - 10 }
const story = { untilMs: (to - 0.5) * 86_400_000, releaseDay, failing: '/docs/host', removed: '/docs/old', replacement }
const options = { seed: 1, lines: 20_000, from, to, paths, story }
const lines = [...generateDemoLog(options)].map(line => {
  const [, address, at = '', target = '', status, userAgent] =
    /^(\S+) - - \[([^\]]*)\] "GET (\S+) HTTP\/2.0" (\d+) \S+ "[^"]*" "([^"]*)"$/.exec(line) ?? []
  const day = Date.parse(at.replace(/^(\d+)\/(\w+)\/(\d+):/, '$1 $2 $3 ')) / 86_400_000
  const kind = demoAgents.find(agent => agent.userAgent === userAgent)?.kind
  const [path = ''] = target.split('?')
  return { visitor: `${address} ${userAgent}`, day: Math.floor(day), path, status, userAgent, kind }
})
const people = lines.filter(({ kind }) => kind === 'human')
const countVisitors = (of: typeof lines) => new Set(of.map(({ visitor }) => visitor)).size
const peopleOn = (day: number) => countVisitors(people.filter(line => line.day === day))

test('the same options give the same log, and nothing is later than now', () => {
  expect([...generateDemoLog(options)]).toEqual([...generateDemoLog(options)])
  expect(lines.every(({ kind }) => kind !== undefined)).toBe(true)
  expect(lines.length).toBeGreaterThan(19_000)
  expect(peopleOn(to - 1)).toBeLessThan(peopleOn(to - 8))
  expect(lines.every(({ day }) => day >= from && day < to)).toBe(true)
})

test('most people come on the day of the release, and fewer on weekends', () => {
  const days = Array.from({ length: to - from }, (_, index) => from + index)
  const weekends = days.filter(day => [0, 6].includes(new Date(day * 86_400_000).getUTCDay()))
  const working = days.filter(day => !weekends.includes(day) && day < to - 1)
  expect(Math.max(...weekends.map(peopleOn))).toBeLessThan(Math.min(...working.map(peopleOn)))
  expect(days.toSorted((a, b) => peopleOn(b) - peopleOn(a))[0]).toBe(releaseDay)
})

test('agents have different appetites, and few people read llms.txt', () => {
  const agents = demoAgents.filter(({ kind }) => kind === 'ai')
  const visitors = agents.map(agent => countVisitors(lines.filter(({ userAgent }) => userAgent === agent.userAgent)))
  expect(Math.max(...visitors)).toBeGreaterThan(30 * Math.min(...visitors))
  expect(countVisitors(people.filter(({ path }) => path === '/llms.txt'))).toBeLessThan(countVisitors(people) / 100)
})

test('one page fails around the release, and one is gone since', () => {
  const failed = lines.filter(({ status }) => status === '500')
  expect(new Set(failed.map(({ path }) => path))).toEqual(new Set(['/docs/host']))
  expect(new Set(failed.map(({ day }) => day))).toEqual(new Set([releaseDay, releaseDay + 1]))
  const missing = lines.filter(({ status }) => status === '404')
  expect(new Set(missing.map(({ path }) => path))).toEqual(new Set(['/docs/old']))
  expect(Math.min(...missing.map(({ day }) => day))).toBe(releaseDay)
})

test('a page that is replaced loses most of its readers on that day, and the new page has none before', () => {
  const countOf = (path: string, from: number, to: number) =>
    countVisitors(
      people.filter(line => line.path === path && line.status !== '404' && line.day >= from && line.day < to),
    )
  const { since } = replacement
  expect(countOf('/docs/old', from, since)).toBeGreaterThan(8 * countOf('/docs/old', since, releaseDay))
  expect(countOf('/docs/old', since, releaseDay)).toBeGreaterThan(0)
  expect(countOf('/docs/old', releaseDay, to)).toBe(0)
  expect(countOf('/docs/visitors', from, since)).toBe(0)
  expect(countOf('/docs/visitors', since, releaseDay)).toBeGreaterThan(100)
})
