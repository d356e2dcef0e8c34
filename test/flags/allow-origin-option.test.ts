import { Command } from 'commander'
import { expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { allowOriginOption } from '../../server/flags/allow-origin-option.ts'

/** Parses the flag as a command does. */
function parse(...values: string[]): string[] {
  const command = new Command().addOption(allowOriginOption()).exitOverride()
  command.parse(
    values.flatMap(value => ['--allow-origin', value]),
    { from: 'user' },
  )
  return command.opts().allowOrigin
}

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
  expect(parse(...values)).toEqual(origins)
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
  const refused = () => parse(value)
  expect(refused).toThrow(OperatorError)
  expect(refused).toThrow(
    `--allow-origin ${value} must be scheme, host and port, without user, path, query and wildcard. Example: http://10.0.0.7:9000`,
  )
})

test('refuses an empty value, which an unset variable leaves', () => {
  expect(() => parse(' ')).toThrow('--allow-origin is empty. Give an origin, such as http://10.0.0.7:9000')
})
