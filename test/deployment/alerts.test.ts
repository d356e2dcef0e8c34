import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The tool of Prometheus that checks rules; Debian has it in the package prometheus. */
const hasPromtool = runs(['--version'])

function runs(args: string[]): boolean {
  try {
    execFileSync('promtool', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

// Prometheus has 80 MB, so the scripts do not install it.
test.skipIf(!hasPromtool)(
  'alerts fire for what their rules name, and not before (needs promtool of Prometheus)',
  () => {
    const output = execFileSync('promtool', ['test', 'rules', join(import.meta.dirname, 'alerts.yml')], {
      encoding: 'utf8',
    })
    expect(output).toContain('SUCCESS')
  },
)
