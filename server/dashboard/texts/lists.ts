import { showNumber } from './numbers.ts'

/** Texts of lists that can be longer than a page. */
export const listTexts = {
  find: 'Find',
  pages: (list: string) => `Pages of the list ${list}`,
  shown: (first: number, last: number, count: number) =>
    `${showNumber(first)} to ${showNumber(last)} of ${showNumber(count)}`,
  nothing: (text: string) => `Nothing in this list contains "${text}".`,
  all: 'Show all',
  previous: 'Previous page',
  next: 'Next page',
}
