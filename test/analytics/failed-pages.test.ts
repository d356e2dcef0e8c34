import { expect, test } from 'vitest'
import {
  FailureBounds,
  isBeyond,
  listCountedFailures,
  toFailedLabel,
  toFailure,
} from '../../server/analytics/failed-pages.ts'
import { parseLabel } from '../../server/analytics/labels.ts'

test.each([
  [404, 'missing'],
  [410, 'missing'],
  [500, 'broken'],
  [599, 'broken'],
  [200, undefined],
  [403, undefined],
  [600, undefined],
])('the status %d is a failure: %s', (status, want) => {
  expect(toFailure(status)).toBe(want)
})

const missing = { kind: 'human', failure: 'missing' } as const

test.each([
  [{ ...missing, path: '/a', from: 'chatgpt.com' }, 'failed:human:missing/a chatgpt.com'],
  [{ ...missing, path: '/a' }, 'failed:human:missing/a'],
  [{ kind: 'ai', failure: 'broken', path: '/', from: 'A b/1' } as const, 'failed:ai:broken/ A b/1'],
])('%j is the label %s, and is parsed again', (page, label) => {
  expect(toFailedLabel(page)).toBe(label)
  expect(parseLabel(label)).toEqual({ type: 'failed', ...page })
})

test('a label counts for its page and for all, and a path that is too long only for all', () => {
  expect(listCountedFailures('failed:human:missing/a x.com')).toEqual([
    'failed:human:missing/a x.com',
    'failed:human:missing/a',
    'failed:human:missing',
  ])
  expect(listCountedFailures('failed:ai:broken/a')).toEqual(['failed:ai:broken/a', 'failed:ai:broken'])
  const beyond = toFailedLabel({ ...missing, path: `/${'a'.repeat(500)}` })
  expect(listCountedFailures(beyond)).toEqual([beyond, 'failed:human:missing'])
  const parsed = parseLabel(beyond)
  expect(parsed?.type === 'failed' && isBeyond(parsed.path ?? '')).toBe(true)
})

test('each kind has its bound of a day, and what is stored stays when a log is imported again', () => {
  const labels = Array.from({ length: 510 }, (_, i) => `failed:human:missing/${i}`)
  const sets = new Map([...labels, 'failed:ai:missing/a GPTBot', 'agent:GPTBot'].map((label, i) => [label, [i]]))
  const unite = (all: number[][]) => all.flat()
  const first = new FailureBounds().replace(sets, new Set(), unite)
  expect(first.size).toBe(503)
  expect(first.get('failed:human:missing*')).toHaveLength(10)
  expect(first.has('failed:ai:missing/a GPTBot')).toBe(true)
  const bounds = new FailureBounds()
  bounds.add([...first.keys()].map((label, number) => ({ label, number })))
  const reversed = new Map([...sets].reverse())
  const again = bounds.replace(reversed, new Set([...first.keys()].keys()), unite)
  expect(new Set(again.keys())).toEqual(new Set(first.keys()))
})

test('a project has a bound too, and a path that it has is kept on other days', () => {
  const bounds = new FailureBounds()
  bounds.add(Array.from({ length: 50_000 }, (_, number) => ({ label: `failed:human:missing/${number}`, number })))
  const sets = new Map([
    ['failed:human:missing/7', [1]],
    ['failed:human:missing/new', [2]],
  ])
  const bounded = bounds.replace(sets, new Set(), all => all.flat())
  expect([...bounded.keys()]).toEqual(['failed:human:missing/7', 'failed:human:missing*'])
})
