import { expect, test } from 'vitest'
import { toPage } from '../../../scripts/bench/search/corpora.ts'
import { readPageSections } from '../../../server/export/search/page-sections.ts'

const read = (path: string, markdown: string) => readPageSections({ text: toPage(path, markdown), charset: 'utf-8' })

test('the title of a document comes from its front matter, and each heading has an id', () => {
  const page = read('npm-ci.html', '---\ntitle: npm-ci\nsection: 1\n---\n\n### Synopsis\n\nText\n\n### See\n')
  expect(page).toMatchObject({ name: 'npm-ci', title: 'npm-ci', language: 'en' })
  expect(page.sections).toEqual([
    { anchor: '', heading: 'npm-ci', text: '' },
    { anchor: 'h1', heading: 'Synopsis', text: 'Text' },
    { anchor: 'h2', heading: 'See', text: '' },
  ])
})

test('without front matter, the main heading is the name and the file gives the title', () => {
  const page = read('a/Hooks.html', '# All hooks\n\n---\n\nText')
  expect(page).toMatchObject({ name: 'All hooks', title: 'Hooks' })
  expect(page.sections.map(({ text }) => text)).toEqual(['Text'])
})
