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

interface TableOptions<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  /** What to do when there are no rows. */
  empty: Fragment
  columns: readonly Column<Row>[]
  /** Where there is not enough room, shows each row as a card, so that nobody has to scroll to its buttons. */
  hasCards?: boolean
}

/** A table in a box that scrolls sideways on small screens, unless it has cards. The first column names the row. */
export function table<Row>(
  rows: readonly Row[],
  { caption, empty, columns, hasCards = false }: TableOptions<Row>,
): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const heads = columns.map(head)
  const lines = rows.map(
    row =>
      html`<tr>${columns.map((column, at) => cell(column.show(row), column, { isFirst: at === 0, hasCards }))}</tr>\n`,
  )
  return html`<div class="wide${hasCards && ' cards-if-narrow'}" role="region" aria-label="${caption}" tabindex="0"><table>
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

function cell<Row>(
  content: Fragment,
  { heading, isNumber, isText }: Column<Row>,
  { isFirst, hasCards }: { isFirst: boolean; hasCards: boolean },
): Markup {
  const kind = isNumber ? html` class="number"` : isText && html` class="text"`
  // The style sheet writes it before the cell of a card.
  const label = hasCards && heading !== '' && html` data-heading="${heading}"`
  return isFirst ? html`<th scope="row"${kind}>${content}</th>` : html`<td${kind}${label}>${content}</td>`
}
