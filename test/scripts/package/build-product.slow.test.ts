import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProduct } from '../../../scripts/package/build-product.ts'
import { runProgram } from '../../support/program.ts'

const root = join(import.meta.dirname, '../../..')
// Within the project, so that the compiled program finds its packages.
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(root, 'node_modules/.cache/product-'))
  await buildProduct(root, folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package names commands as they are called after npm install --global', async () => {
  const { code, stdout } = await runProgram([join(folder, 'server/main.js'), 'init', '--help'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('\n  quire init --yes ')])
  const files = globSync('server/**/*.js', { cwd: folder })
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter(file => readFileSync(join(folder, file), 'utf8').includes('npx quire'))).toEqual([])
})
