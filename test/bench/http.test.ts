import { expect, test } from 'vitest'
import { httpCommand } from '../../scripts/bench/http.ts'

test('the goal has a default, and a flag changes it', async () => {
  const command = httpCommand().exitOverride()
  expect(command.opts()).toMatchObject({ minShare: 0.35 })
  command.parseOptions(['--min-share', '0.5'])
  expect(command.opts()).toMatchObject({ minShare: 0.5 })
})
