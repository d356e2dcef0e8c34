import { expect, test } from 'vitest'
import { type Column, table } from '../../../server/dashboard/parts/table.ts'

const column = (heading: string, isNumber = false): Column<string> => ({ heading, isNumber, show: row => row })
const write = (columns: Column<string>[]) => table(['x'], { caption: 'List', empty: 'Nothing.', columns }).text

test('each cell of a card has the heading of its column, but for the name of the row and for buttons', () => {
  expect(write([column('Name'), column('Size', true), column('')])).toContain(
    '<tr><th scope="row">x</th><td class="number" data-label="Size">x</td><td>x</td></tr>',
  )
})

test('a table with many columns becomes cards earlier; two columns of numbers count as one', () => {
  const columns = ['a', 'b', 'c', 'd'].map(heading => column(heading))
  expect(write(columns)).toContain('<div class="list">')
  expect(write([...columns, column('e', true)])).toContain('<div class="list many">')
})

test('a table without rows is a sentence', () => {
  expect(table([], { caption: 'List', empty: 'Nothing.', columns: [] }).text).toBe('<p class="empty">Nothing.</p>')
})
