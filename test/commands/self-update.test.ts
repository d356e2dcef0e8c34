import { expect, test } from 'vitest'
import { runQuire } from '../support/process.ts'

test('self-update of a clone or package changes nothing, and says what to do instead', async () => {
  const { code, stdout, stderr } = await runQuire(['self-update', '--from', '/nowhere'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('This is not the single binary, so it cannot replace itself. In a clone, update it with git')
})
