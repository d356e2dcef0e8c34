import type { Awaitable } from '../../base/awaitable.ts'
import type { Listed, ListPart } from '../../tenancy/list-part.ts'
import type { Visit } from '../page.ts'
import { textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { showNumber } from '../texts/numbers.ts'

const perPage = 50

/** One page of a list that can be long. */
export interface LongList<Row> extends Listed<Row> {
  /** Names the list in the address of its page, which can have several. */
  name: string
  /** What the rows contain; '' = all rows are listed. */
  contains: string
  /** How many rows are on the pages before. */
  offset: number
}

/** Reads the page of a list that the address asks for, or the last one. */
export async function readLongList<Row>(
  { query }: Pick<Visit, 'query'>,
  name: string,
  read: (part: ListPart) => Awaitable<Listed<Row>>,
): Promise<LongList<Row>> {
  const contains = (query.get(`${name}-find`) ?? '').trim()
  const from = query.get(`${name}-from`) ?? ''
  const offset = /^\d{1,9}$/.test(from) ? Number(from) : 0
  const listed = await read({ contains, limit: perPage, offset })
  if (offset === 0 || offset < listed.count) return { ...listed, name, contains, offset }
  const last = Math.max(0, Math.ceil(listed.count / perPage) - 1) * perPage
  return { ...(await read({ contains, limit: perPage, offset: last })), name, contains, offset: last }
}

/**
 * Frames the table of a long list with a field that filters it and links to its other pages. It works without scripts.
 *
 * @param options.path of the page, below that of the organization
 * @param options.label of the filter
 */
export function frameLongList<Row>(
  visit: Visit,
  list: LongList<Row>,
  { path, caption, label, table }: { path: string; caption: string; label: string; table: Markup },
): Markup {
  const { name, contains, offset, count, rows } = list
  const isFiltered = contains !== ''
  const link = (from: number, text: string, isKept = true) =>
    html`<a class="button" href="${addressOf(visit, path, name, { from, contains: isKept ? contains : '' })}">${text}</a>`
  const isShort = count <= perPage
  return html`<div id="list-${name}">
${(isFiltered || !isShort) && filterForm(visit, list, { path, label })}
${
  isFiltered && count === 0
    ? html`<p class="empty">${texts.nothing(contains)} ${link(0, texts.all, false)}</p>`
    : html`${table}${
        (isFiltered || !isShort) &&
        html`<nav class="paging" aria-label="${texts.pages(caption)}">
${offset > 0 && link(Math.max(0, offset - perPage), texts.previous)}
<span>${texts.shown(offset + 1, offset + rows.length, count)}</span>
${offset + rows.length < count && link(offset + perPage, texts.next)}
${isFiltered && link(0, texts.all, false)}
</nav>`
      }`
}
</div>`
}

function filterForm<Row>(
  visit: Visit,
  { name, contains }: LongList<Row>,
  { path, label }: { path: string; label: string },
): Markup {
  const kept = [...keptQuery(visit, name)].map(([key, value]): Fragment => {
    return html`<input type="hidden" name="${key}" value="${value}">`
  })
  return html`<form method="get" action="${visit.link(path)}#list-${name}" class="tools" role="search" aria-label="${label}">
${kept}${textField({ label, name: `${name}-find`, value: contains, maxLength: 200 })}
<button>${texts.find}</button>
</form>`
}

function addressOf(
  visit: Visit,
  path: string,
  name: string,
  { from, contains }: { from: number; contains: string },
): string {
  const query = keptQuery(visit, name)
  if (contains !== '') query.set(`${name}-find`, contains)
  if (from > 0) query.set(`${name}-from`, String(from))
  return `${visit.link(path)}${query.size > 0 ? `?${query}` : ''}#list-${name}`
}

/** What the address says about other lists of the page, and which section a choice leads to. */
function keptQuery({ query }: Visit, name: string): URLSearchParams {
  const isKept = (key: string) => (/-(find|from)$/.test(key) || key === 'section') && !key.startsWith(`${name}-`)
  return new URLSearchParams([...query].filter(([key]) => isKept(key)))
}

/** Texts of lists that can be longer than a page. */
const texts = {
  find: 'Find',
  pages: (list: string) => `Pages of the list ${list}`,
  shown: (first: number, last: number, count: number) =>
    `${showNumber(first)} to ${showNumber(last)} of ${showNumber(count)}`,
  nothing: (text: string) => `Nothing in this list contains "${text}".`,
  all: 'Show all',
  previous: 'Previous page',
  next: 'Next page',
}
