import { expect, test } from 'vitest'
import { type GallerySection, writeSection } from '../../../scripts/bench/export-gallery/results-file.ts'

const section = (rows: Record<string, string>, changes: Partial<GallerySection> = {}): GallerySection => ({
  rows: new Map(Object.entries(rows)),
  firstRows: new Map(),
  leftOut: new Map(),
  conditions: ['Run here.'],
  ...changes,
})
const lines = (text: string) => text.split('\n').filter(line => /^\| (?!site|---)|^#|^-/.test(line))

test('the section is added after the others, and replaced where it stands', () => {
  const first = writeSection('# Results\n\n## Other\n\nText.\n', section({ b: '| b | old |' }))
  expect(first.startsWith('# Results\n\n## Other\n\nText.\n\n## Export gallery\n\nRun here.\n')).toBe(true)
  const between = `${first}\n## Last\n\nEnd.\n`
  const second = writeSection(between, section({ b: '| b | new |', a: '| a | 1 |' }))
  expect(lines(second)).toEqual(['# Results', '## Other', '## Export gallery', '| a | 1 |', '| b | new |', '## Last'])
  expect(second.endsWith('\n\n## Last\n\nEnd.\n')).toBe(true)
  expect(writeSection(second, section({}))).toBe(second)
})

test('the first row of an unseen site stays, and rows of other sites too', () => {
  const unseen = (row: string) => section({ u: row }, { firstRows: new Map([['u', row]]) })
  const first = writeSection('', section({ a: '| a | 1 |' }))
  const second = writeSection(first, unseen('| u | bad |'))
  const third = writeSection(second, unseen('| u | good |'))
  expect(lines(third)).toEqual([
    '## Export gallery',
    '| a | 1 |',
    '| u | good |',
    '### First runs of the unseen sites',
    '| u | bad |',
  ])
})

test('sites that are left out are named with the reason', () => {
  expect(lines(writeSection('', section({}, { leftOut: new Map([['x', 'no package']]) })))).toContain('- x: no package')
})
