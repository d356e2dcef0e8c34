import { expect, test } from 'vitest'
import { writeInstruction } from '../../../server/agent/run/run-texts.ts'

test('an agent that tries again after a failure is not told that its files have the change', () => {
  const text = writeInstruction('Fix the typo.', ['Fix the typo.'])
  expect(text).toContain(
    'You had these instructions before. The files may have your changes for them:\n\nFix the typo.\n\nThe instruction:\n\nFix the typo.',
  )
  expect(writeInstruction('Fix the typo.', [])).not.toContain('before')
})
