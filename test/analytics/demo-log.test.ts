import { expect, test } from 'vitest'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'

const options = { seed: 3, lines: 20_000, from: 20_700, to: 20_710, paths: ['/', '/guide', '/api'] }
const lines = [...generateAccessLog(options)]

test('the same seed gives the same log, another seed another', () => {
  expect([...generateAccessLog(options)]).toEqual(lines)
  expect([...generateAccessLog({ ...options, seed: 4 })]).not.toEqual(lines)
  expect(lines.length).toBe(20_000)
})

test.each([
  ['HEAD', /"HEAD /],
  ['POST', /"POST /],
  ['not modified', /" 304 -/],
  ['not found', /" 404 /],
  ['IPv6', /^2001:db8:/],
  ['an asset', /GET \/assets\/app/],
  ['a Markdown view', /\.md HTTP/],
  ['an absolute target', /GET https:/],
  ['an AI agent', /GPTBot/],
  ['a classic bot', /Googlebot/],
  ['a library', /"curl/],
  ['no user agent', /"-"$/],
  ['an empty line', /^$/],
  ['bytes that are not text', /^[^ -~]/],
  ['a day that does not exist', /30\/Feb/],
  ['a path too long', /a{3000}/],
])('the log has lines with %s', (_, pattern) => {
  expect(lines.some(line => pattern.test(line))).toBe(true)
})

test('the log covers the requested days, with dates in the given time zone', () => {
  const dates = (offsetMinutes: number) =>
    [...generateAccessLog({ ...options, lines: 500, offsetMinutes })]
      .map(line => /\[([^\]]*)\]/.exec(line)?.[1] ?? '')
      .filter(date => /Sep\/2026/.test(date))
  expect([dates(0)[0]?.slice(0, 12), dates(0).at(-1)?.slice(0, 12)]).toEqual(['04/Sep/2026:', '13/Sep/2026:'])
  expect(dates(330).every(date => date.endsWith(' +0530'))).toBe(true)
  expect(dates(-480).every(date => date.endsWith(' -0800'))).toBe(true)
  expect(dates(-480)[0]?.slice(0, 11)).toBe('03/Sep/2026')
})
