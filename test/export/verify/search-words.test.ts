import { expect, test } from 'vitest'
import { chooseSearchWords } from '../../../server/export/verify/search-words.ts'

test('takes the words that the fewest titles have, one of each page first', () => {
  const pages = ['Struct alloc::vec::Drain', 'Struct alloc::string::String', 'Struct alloc::rc::Weak']
  expect(chooseSearchWords(pages).slice(0, 3)).toEqual(['Drain', 'String', 'Weak'])
})

test('leaves out short words and words with digits', () => {
  expect(chooseSearchWords(['API v2.0 for 2026: Getting'])).toEqual(['Getting'])
})

test('names words in other scripts, and stops at eight', () => {
  expect(chooseSearchWords(['Настройка сервера'])).toEqual(['Настройка', 'сервера'])
  const letters = [...'abcdefghijkl'].map(letter => letter.repeat(6))
  expect(chooseSearchWords(letters)).toHaveLength(8)
})

test('the same pages give the same words in any order of equal candidates', () => {
  expect(chooseSearchWords(['beta alfa'])).toEqual(chooseSearchWords(['alfa beta']))
})

test('a word that most titles have comes last, in upper or lower case', () => {
  const titles = ['Documentation', 'Joining documentation', 'Sorting documentation']
  expect(chooseSearchWords(titles)).toEqual(['Joining', 'Sorting', 'Documentation', 'documentation'])
})

test('prefers a word that few texts have, also in another form', () => {
  const titles = ['Importing modules', 'Archived modules']
  const texts = ['importing modules', 'import an archived module', 'import another module']
  expect(chooseSearchWords(titles, texts)).toEqual(['Archived', 'Importing', 'modules'])
  expect(chooseSearchWords(titles)).toEqual(['Importing', 'Archived', 'modules'])
})

test('a word of a title that no text has comes after those that some texts have', () => {
  expect(chooseSearchWords(['Quire', 'Fractions'], ['about fractions', 'more'])).toEqual(['Fractions', 'Quire'])
})
