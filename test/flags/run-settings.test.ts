import { afterEach, expect, onTestFinished, test } from 'vitest'
import { defaultLimits, defaultProcessLimits } from '../../server/export/model/limits.ts'
import { limitSettings, readLimits } from '../../server/flags/run-settings.ts'
import { readConfig, serveSettings } from '../../server/flags/serve-settings.ts'
import { runQuire } from '../support/process.ts'
import { parse as parseSettings } from './parse.ts'

const given: [keyof typeof defaultLimits, flag: string, value: number, want: number][] = [
  ['pages', '--max-pages', 7, 7],
  ['links', '--max-links', 6, 6],
  ['files', '--max-files', 8, 8],
  ['failedPercent', '--max-failed-percent', 17, 17],
  ['totalBytes', '--max-total-mb', 9, 9 * 1024 ** 2],
  ['fileBytes', '--max-file-mb', 10, 10 * 1024 ** 2],
  ['pageBytes', '--max-page-mb', 11, 11 * 1024 ** 2],
  ['redirects', '--max-redirects', 12, 12],
  ['pageTimeoutMs', '--page-timeout-seconds', 13, 13_000],
  ['retries', '--max-retries', 18, 18],
  ['pageRequests', '--max-page-requests', 16, 16],
  ['jobTimeoutMs', '--job-timeout-seconds', 14, 14_000],
  ['connections', '--connections', 15, 15],
]
const environmentOf = (flag: string) => `QUIRE_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`

afterEach(() => {
  for (const [, flag] of given) delete process.env[environmentOf(flag)]
})

const parse = (args: string[]) => parseSettings(serveSettings, ...args)

test('every limit has a flag', () => {
  expect(given.map(([name]) => name)).toEqual(Object.keys(defaultLimits))
  expect(Object.keys(limitSettings)).toHaveLength(given.length + Object.keys(defaultProcessLimits).length)
})

test('without flags the limits are the defaults', () => {
  expect(readLimits(parse([]))).toEqual(defaultLimits)
})

test.each(given)('%s: serve reads %s or its environment variable, and the flag wins', (name, flag, value, want) => {
  expect(readConfig(parse([flag, String(value)])).exportLimits).toEqual({ ...defaultLimits, [name]: want })
  process.env[environmentOf(flag)] = String(value)
  expect(readConfig(parse([])).exportLimits).toEqual({ ...defaultLimits, [name]: want })
  expect(readConfig(parse([flag, '1'])).exportLimits[name]).toBe(want / value)
})

test('serve and export show every limit and its environment variable in their help', async () => {
  for (const command of ['serve', 'export']) {
    const { stdout } = await runQuire([command, '--help-all'])
    for (const [, flag] of given) expect(stdout.replace(/\s+/g, ' ')).toContain(`env: ${environmentOf(flag)})`)
  }
})

const fromZero = new Set(['failedPercent', 'retries'])
test.each(given.filter(([name]) => !fromZero.has(name)))('%s: %s accepts only whole numbers from 1', (_, flag) => {
  expect(() => parse([flag, '0'])).toThrow(`'${flag} <number>' argument '0' is invalid`)
  expect(() => parse([flag, '1e3'])).toThrow('It must be a whole number from 1')
})

test('the limits of the process of an export have flags and environment variables', () => {
  expect(readConfig(parse([])).exportProcessLimits).toEqual(defaultProcessLimits)
  const flags = ['--export-memory-mb', '512', '--export-stall-seconds', '9']
  const want = { memoryBytes: 512 * 1024 ** 2, stallMs: 9000 }
  expect(readConfig(parse(flags)).exportProcessLimits).toEqual(want)
  onTestFinished(() => {
    for (const flag of flags) delete process.env[environmentOf(flag)]
  })
  process.env.QUIRE_EXPORT_MEMORY_MB = '512'
  process.env.QUIRE_EXPORT_STALL_SECONDS = '9'
  expect(readConfig(parse([])).exportProcessLimits).toEqual(want)
  expect(() => parse(['--export-memory-mb', '63'])).toThrow('It must be a whole number from 64')
})

test('no retry is accepted', () => {
  expect(readConfig(parse(['--max-retries', '0'])).exportLimits.retries).toBe(0)
})

test('the limit of failed pages is from 0 to 100 percent', () => {
  for (const percent of [0, 100])
    expect(readConfig(parse(['--max-failed-percent', String(percent)])).exportLimits.failedPercent).toBe(percent)
  expect(() => parse(['--max-failed-percent', '101'])).toThrow('It must be a whole number from 0 to 100')
})
