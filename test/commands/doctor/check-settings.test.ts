import { Option } from 'commander'
import { expect, test } from 'vitest'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { checkSettings } from '../../../server/commands/doctor/check-settings.ts'
import { exportSettings } from '../../../server/flags/export-settings.ts'
import { integer, toOption } from '../../../server/flags/setting.ts'

const options = [
  new Option('--port <number>').env('QUIRE_PORT').argParser(integer(0, 65535)),
  new Option('--log-level <level>').env('QUIRE_LOG_LEVEL').choices(['info', 'warn']),
  new Option('--public-url <url>').env('QUIRE_PUBLIC_URL'),
  // Another command with the same setting.
  new Option('--listen <number>').env('QUIRE_PORT').argParser(integer(0, 65535)),
]
const check = (env: Record<string, string>, readServer = () => ({})) => checkSettings(env, options, readServer)

test('valid ones, and those of other programs, are fine', () => {
  const findings = check({ QUIRE_PORT: '8787', QUIRE_API_KEY: 'quire_x', QUIRE_TEST_SEED: '1', PATH: '/bin' })
  expect(findings.map(({ level }) => level)).toEqual(['ok'])
  expect(findings[0]?.message).toBe('QUIRE_PORT can be used.')
})

test('a misspelt one is named with the nearest, and its value is not shown', () => {
  const [finding] = check({ QUIRE_PUBLC_URL: 'https://secret.example.com' })
  expect(finding).toEqual({
    check: 'settings',
    level: 'failure',
    message: 'QUIRE_PUBLC_URL is not a setting, so it is ignored.',
    remedy: 'Rename it to QUIRE_PUBLIC_URL, or remove it.',
  })
})

test('values that cannot be used are named with what is possible', () => {
  const findings = check({ QUIRE_PORT: '99999', QUIRE_LOG_LEVEL: 'loud' })
  expect(findings.map(({ message, remedy }) => [message, remedy])).toEqual([
    ['QUIRE_PORT cannot be used.', 'It must be a whole number from 0 to 65535.'],
    ['QUIRE_LOG_LEVEL cannot be used.', 'Allowed choices are info, warn.'],
  ])
})

test('settings that contradict each other are named, with the remedy of the server', () => {
  const explain = (message: string) => {
    const [finding] = check({}, () => {
      throw new OperatorError(message, 2)
    })
    return [finding?.message, finding?.remedy]
  }
  const problem = 'The server does not start with these settings.'
  const both = '--agent-sandbox and --agent-unconfined exclude each other.'
  expect(explain(`${both} Leave one of them out.`)).toEqual([`${problem} ${both}`, 'Leave one of them out.'])
  const needs = '--agents-file needs --agent, the name of an agent in the file.'
  expect(explain(needs)).toEqual([problem, needs])
})

test('headers that cannot be sent are found, and their values are not shown', () => {
  const env = { QUIRE_EXPORT_HEADERS: 'Authorization: Bearer s3cret\nzzz' }
  expect(checkSettings(env, Object.values(exportSettings).map(toOption), () => ({}))).toEqual([
    {
      check: 'settings',
      level: 'failure',
      message: 'QUIRE_EXPORT_HEADERS cannot be used.',
      remedy: expect.stringMatching(/^--header: the second header is not written as "Name: value"/),
    },
  ])
})

test('settings that do not fit together are explained by the reader of the server', () => {
  const readServer = () => {
    throw new Error('--public-url must be an http(s) URL, such as https://api.example.com')
  }
  expect(check({ QUIRE_PUBLIC_URL: 'x' }, readServer)).toMatchObject([
    { level: 'failure', remedy: expect.stringContaining('must be an http(s) URL') },
  ])
})
