import { afterEach, expect, test, vi } from 'vitest'
import { exportSettings } from '../../server/flags/export-settings.ts'
import { hostSettings } from '../../server/flags/host-settings.ts'
import { logSettings } from '../../server/flags/log-settings.ts'
import { rangeSettings } from '../../server/flags/range-settings.ts'
import { serveSettings } from '../../server/flags/serve-settings.ts'
import { readBoolean, toOption } from '../../server/flags/setting.ts'
import { shared } from '../../server/flags/shared-settings.ts'
import { runQuire } from '../support/process.ts'
import { parse } from './parse.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([serveSettings, hostSettings, exportSettings, logSettings, rangeSettings, shared])(
  'the keys of table %# are the names that commander gives to the values',
  settings => {
    const names = Object.values(settings).map(setting => toOption(setting).attributeName())
    expect(names).toEqual(Object.keys(settings))
  },
)

test.each<[boolean, string[]]>([
  [true, ['1', 'true', 'yes', 'on', 'TRUE', 'Yes']],
  [false, ['0', 'false', 'no', 'off', '', 'False', 'OFF']],
])('%s is written as one of %j', (value, texts) => {
  expect(texts.map(readBoolean)).toEqual(texts.map(() => value))
})

test.each(['2', 'maybe', ' ', 'y', 'null'])('%j is neither on nor off', text => {
  expect(() => readBoolean(text)).toThrow('It must be 1, true, yes or on; or 0, false, no, off or empty.')
})

function readServe(env: Record<string, string>, args: string[] = []) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { validateResponses, exportCache } = parse(serveSettings, ...args)
  return [validateResponses ?? false, exportCache]
}

test.each([
  { value: 'true', args: [], read: [true, false] },
  { value: 'false', args: [], read: [false, true] },
  { value: '0', args: [], read: [false, true] },
  { value: '', args: [], read: [false, true] },
  { value: 'false', args: ['--validate-responses', '--no-export-cache'], read: [true, false] },
])('a variable with "$value" and the flags $args give $read', ({ value, args, read }) => {
  expect(readServe({ QUIRE_VALIDATE_RESPONSES: value, QUIRE_NO_EXPORT_CACHE: value }, args)).toEqual(read)
})

test('a flag on the command line wins over a variable that cannot be used', () => {
  expect(readServe({ QUIRE_VALIDATE_RESPONSES: 'maybe' }, ['--validate-responses'])).toEqual([true, true])
})

test.each([
  ['QUIRE_VALIDATE_RESPONSES', '--validate-responses', ['serve']],
  ['QUIRE_NO_EXPORT_CACHE', '--no-export-cache', ['demo']],
  ['QUIRE_EXPORT_IGNORE_ROBOTS', '--ignore-robots', ['export', 'docs.example.com', '-o', 'x.zip']],
  ['QUIRE_EXPORT_OFFLINE_SEARCH', '--offline-search', ['export', 'docs.example.com', '-o', 'x.zip']],
  ['QUIRE_ALLOW_LOSS', '--allow-loss', ['serve']],
  ['QUIRE_ALLOW_LOSS', '--allow-loss', ['export', 'docs.example.com', '-o', 'x.zip']],
  ['QUIRE_ALLOW_NO_SANDBOX', '--allow-no-sandbox', ['serve']],
  ['QUIRE_ALLOW_NO_SANDBOX', '--allow-no-sandbox', ['export', 'docs.example.com', '-o', 'x.zip']],
  ['QUIRE_NO_PROBE', '--no-probe', ['sites', 'set-origin', 'docs.example.com']],
  ['QUIRE_BY_HOST', '--by-host', ['visits', 'import', '-']],
])('%s=maybe is wrong usage', async (variable, flag, args) => {
  const { code, stdout, stderr } = await runQuire(args, { env: { [variable]: 'maybe' } })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(
    `option '${flag}' value 'maybe' from env '${variable}' is invalid. It must be 1, true, yes or on; or 0, false, no, off or empty.`,
  )
})

test('QUIRE_BY_HOST=false does not replace --project', async () => {
  const { code, stderr } = await runQuire(['visits', 'import', '-'], { env: { QUIRE_BY_HOST: 'false' } })
  expect([code, stderr]).toEqual([2, expect.stringContaining('Give --project ID, or --by-host')])
})
