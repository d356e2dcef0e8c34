import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from './installed-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-sbom-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Long, because it builds the package.
test('the SBOM names the package and what is installed with it', async () => {
  const args = ['scripts/pack-spec.ts', '--output', folder, '--sbom']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const [tarball = '', file = ''] = stdout.trim().split('\n')
  expect([tarball.endsWith('.tgz'), file.endsWith('.cdx.json')]).toEqual([true, true])
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(file, 'utf8'))
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'quire-spec'])
  const names = components.map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['openapi-fetch', 'openapi-typescript-helpers'])
})
