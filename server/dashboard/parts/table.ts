import { type Fragment, html, type Markup } from './html.ts'

/** A column of a table. */
export interface Column<Row> {
  /** '' = a column of buttons; each says by itself what it does. */
  heading: string
  /** Numbers are aligned to the right. */
  isNumber?: boolean
  /** Sentences, which may break into lines. */
  isText?: boolean
  /** A link that sorts the rows by this column, and how they are sorted by it now; undefined = not. */
  sort?: { address: string; name: string; is?: 'ascending' | 'descending' }
  show(row: Row): Fragment
}

/**
 * A table in a box that scrolls sideways on small screens. The first column names the row.
 *
 * @param caption what the table lists, for screen readers
 * @param empty what to do when there are no rows
 */
export function table<Row>(
  rows: readonly Row[],
  { caption, empty, columns }: { caption: string; empty: Fragment; columns: readonly Column<Row>[] },
): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const heads = columns.map(head)
  const lines = rows.map(
    row => html`<tr>${columns.map((column, at) => cell(column.show(row), column, at === 0))}</tr>\n`,
  )
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table>
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

function cell<Row>(content: Fragment, { isNumber, isText }: Column<Row>, isFirst: boolean): Markup {
  const kind = isNumber ? html` class="number"` : isText && html` class="text"`
  return isFirst ? html`<th scope="row"${kind}>${content}</th>` : html`<td${kind}>${content}</td>`
}
