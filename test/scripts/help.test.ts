import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

const scripts = [
  'mock/main.ts',
  'scripts/conformance.ts',
  'scripts/generate.ts',
  'scripts/pack-spec.ts',
  'scripts/release.ts',
  'scripts/spec-diff.ts',
  'scripts/test.ts',
]

// If a flag changed: npx vitest run --update --config test/vitest.config.ts test/scripts/help.test.ts
test('scripts/set-up/help.json has what the scripts print with --help', async () => {
  const texts = await Promise.all(
    scripts.map(async script => {
      const { code, stdout, stderr } = await runProgram([script, '--help'])
      expect({ script, code, stderr }).toEqual({ script, code: 0, stderr: '' })
      return [script, stdout]
    }),
  )
  const file = join(import.meta.dirname, '../../scripts/set-up/help.json')
  await expect(`${JSON.stringify(Object.fromEntries(texts), undefined, 2)}\n`).toMatchFileSnapshot(file)
})
