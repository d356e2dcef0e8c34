import type { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { exportCommand } from '../../server/commands/export.ts'
import { sitesCommand } from '../../server/commands/sites.ts'
import { withoutVariables } from '../../server/flags/setting.ts'
import { allowOrigin, readRemovalFlags, removalSettings } from '../../server/flags/site-settings.ts'
import { parse } from './parse.ts'

afterEach(() => vi.unstubAllEnvs())

const readOrigins = (...values: string[]) =>
  parse({ allowOrigin }, ...values.flatMap(value => ['--allow-origin', value])).allowOrigin

test.each<[string[], string[]]>([
  [['http://10.0.0.7:9000'], ['http://10.0.0.7:9000']],
  [['HTTPS://Assets.Internal:443/'], ['https://assets.internal']],
  [['http://[fd00::7]:80/'], ['http://[fd00::7]']],
  [['http://b.internal http://a.internal\nhttp://b.internal/'], ['http://a.internal', 'http://b.internal']],
  [
    ['http://b.internal', 'http://a.internal'],
    ['http://a.internal', 'http://b.internal'],
  ],
])('%j allows %j', (values, origins) => {
  expect(readOrigins(...values)).toEqual(origins)
})

test.each([
  'assets.internal',
  '10.0.0.7:9000',
  'ftp://assets.internal',
  'file:///srv/assets',
  'http://assets.internal/img/',
  'http://assets.internal/?a',
  'http://assets.internal/#a',
  'http://user:secret@assets.internal',
  'http://*.internal',
  'http://',
])('refuses %s and says what to write', value => {
  const refused = () => readOrigins(value)
  expect(refused).toThrow(OperatorError)
  expect(refused).toThrow(
    `--allow-origin ${value} must be scheme, host and port, without user, path, query and wildcard. Example: http://10.0.0.7:9000`,
  )
})

test('refuses an empty value, which an unset variable leaves', () => {
  expect(() => readOrigins(' ')).toThrow('--allow-origin is empty. Give an origin, such as http://10.0.0.7:9000')
})

test('a variable has one rule per line, for commands with variables', () => {
  vi.stubEnv('QUIRE_EXPORT_EXCLUDE', '/a/*\n/b/*')
  vi.stubEnv('QUIRE_EXPORT_REMOVE_SELECTORS', '#ask')
  expect(readRemovalFlags(parse(removalSettings))).toMatchObject({
    excludePages: ['/a/*', '/b/*'],
    removeSelectors: ['#ask'],
  })
  expect(readRemovalFlags(parse(withoutVariables(removalSettings)))).toBeNull()
})

test('the variables of an export do not change what sites store', () => {
  const listVariables = ({ options, commands }: Command): string[] => [
    ...options.flatMap(({ envVar }) => envVar ?? []),
    ...commands.flatMap(listVariables),
  ]
  const isOfExport = (name: string) => name.startsWith('QUIRE_EXPORT_')
  expect(listVariables(sitesCommand()).filter(isOfExport)).toEqual([])
  expect(listVariables(exportCommand())).toEqual(
    expect.arrayContaining(['QUIRE_EXPORT_EXCLUDE', 'QUIRE_EXPORT_KEEP', 'QUIRE_EXPORT_FEATURES_FILE']),
  )
})
