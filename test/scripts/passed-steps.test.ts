import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPassedSteps } from '../../scripts/passed-steps.ts'

let root = ''
const write = (name: string, text: string) => writeFileSync(join(root, name), text)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-passed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'node_modules'))
  write('.gitignore', 'node_modules\n')
  write('a.ts', 'a')
  execFileSync('git', ['init', '--quiet', root])
  execFileSync('git', ['-C', root, 'add', '.'])
})

test('a step that passed has passed until a file changes', () => {
  expect(openPassedSteps(root).has('types of the server')).toBe(false)
  openPassedSteps(root).note('types of the server', true)
  expect(openPassedSteps(root).has('types of the server')).toBe(true)
  expect(openPassedSteps(root).has('types of the tests')).toBe(false)
})

test.each<[string, () => void]>([
  ['a changed file', () => write('a.ts', 'b')],
  ['a new file that git does not have', () => write('b.ts', 'a')],
  ['a deleted file', () => rmSync(join(root, 'a.ts'))],
  ['other packages', () => write('node_modules/.package-lock.json', '{}')],
])('%s makes every step run again', (_, change) => {
  openPassedSteps(root).note('lint', true)
  change()
  expect(openPassedSteps(root).has('lint')).toBe(false)
})

test('a text does not', () => {
  openPassedSteps(root).note('lint', true)
  write('README.md', 'a')
  expect(openPassedSteps(root).has('lint')).toBe(true)
})

test('a failed step runs again, and so does one during which a file changed', () => {
  openPassedSteps(root).note('lint', true)
  openPassedSteps(root).note('lint', false)
  expect(openPassedSteps(root).has('lint')).toBe(false)
  const steps = openPassedSteps(root)
  write('a.ts', 'b')
  steps.note('lint', true)
  expect(openPassedSteps(root).has('lint')).toBe(false)
})

test('without git, nothing is remembered', () => {
  rmSync(join(root, '.git'), { recursive: true })
  openPassedSteps(root).note('lint', true)
  expect(openPassedSteps(root).has('lint')).toBe(false)
})
