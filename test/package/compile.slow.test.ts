import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from '../../scripts/package/compile.ts'
import { root } from './installed-package.ts'

test.each(['module', 'commonjs'] as const)('the sources of the package compile as %s for the oldest Node', format => {
  const work = mkdtempSync(join(tmpdir(), 'quire-compile-'))
  onTestFinished(() => rmSync(work, { recursive: true, force: true }))
  const output = join(work, format)
  compile(root, { output, staging: join(work, 'sources'), format })
  expect(existsSync(join(output, 'package.json'))).toBe(true)
})
