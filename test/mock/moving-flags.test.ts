import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addMovingOptions, readMovingFlags } from '../../mock/moving-flags.ts'

function read(...args: string[]) {
  const program = addMovingOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  return readMovingFlags(program.parse(args, { from: 'user' }).opts())
}

test('without --scenario, the mock has fixed examples', () => {
  expect(read()).toBeUndefined()
})

test('reads all flags', () => {
  expect(read('--scenario', 'mixed', '--seed', '7', '--step', '0.5', '--delay', '20', '--error', '503')).toEqual({
    options: { scenario: 'mixed', seed: '7', stepSeconds: 0.5 },
    settings: { delay: '20', error: '503' },
  })
  expect(read('--scenario', 'slow', '--speed', '10')).toMatchObject({ options: { speed: 10 } })
})

test.each([
  [['--scenario', 'none'], /^There is no scenario none\. Choose one of: usual, mixed, .*\.$/],
  [['--scenario', 'usual', '--delay', 'soon'], /^The delay must be a whole number of milliseconds from 0 to 60000\./],
  [['--scenario', 'usual', '--error', '418'], /^The API has no error 418\. Choose a status /],
  [['--scenario', 'usual', '--step', '1', '--speed', '2'], /^--step and --speed exclude each other\. /],
  [['--scenario', 'usual', '--step', '0'], /^--step must be a number above 0\./],
  [['--scenario', 'usual', '--speed', 'fast'], /^--speed must be a number above 0\./],
  [['--delay', '20'], /^--delay needs --scenario\. Example: npm run mock -- --scenario usual$/],
])('%j is refused in one sentence, with exit code 2', (args, message) => {
  expect(() => read(...args)).toThrow(expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 }))
})
