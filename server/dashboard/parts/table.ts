import { type Fragment, html, type Markup } from './html.ts'

/** A column of a table. */
export interface Column<Row> {
  /** '' = a column of buttons; each says by itself what it does. */
  heading: string
  /** Numbers are aligned to the right. */
  isNumber?: boolean
  /** What people or other programs wrote, however long. It breaks into lines anywhere. */
  isText?: boolean
  /** A link that sorts the rows by this column, and how they are sorted by it now; undefined = not. */
  sort?: { address: string; name: string; is?: 'ascending' | 'descending' }
  show(row: Row): Fragment
}

interface TableOptions<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  /** What to do when there are no rows. */
  empty: Fragment
  columns: readonly Column<Row>[]
}

/** From how many columns on a table needs much room. Two columns of numbers count as one. */
const manyColumns = 4.5

/** A table whose rows become cards where it has not enough room, so that nobody has to scroll sideways. The first column names the row. */
export function table<Row>(rows: readonly Row[], { caption, empty, columns }: TableOptions<Row>): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const heads = columns.map(head)
  const lines = rows.map(
    row => html`<tr>${columns.map((column, at) => cell(column.show(row), column, at === 0))}</tr>\n`,
  )
  const isWide = columns.reduce((sum, { isNumber }) => sum + (isNumber ? 0.5 : 1), 0) >= manyColumns
  return html`<div class="list${isWide && ' many'}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>`
}

function head<Row>({ heading, isNumber, sort }: Column<Row>): Markup {
  if (heading === '') return html`<td></td>`
  const content = sort ? html`<a href="${sort.address}" aria-label="${sort.name}">${heading}</a>` : heading
  return html`<th scope="col"${isNumber && html` class="number"`}${sort?.is && html` aria-sort="${sort.is}"`}>${content}</th>`
}

/** The style sheet writes the label before the cell of a card. */
function cell<Row>(content: Fragment, { heading, isNumber, isText }: Column<Row>, isFirst: boolean): Markup {
  const kind = isNumber ? html` class="number"` : isText && html` class="text"`
  if (isFirst) return html`<th scope="row"${kind}>${content}</th>`
  return html`<td${kind}${heading !== '' && html` data-label="${heading}"`}>${content}</td>`
}
