import { showDifference } from '../../analytics/report/compare.ts'
import type { PageVisitors } from '../../analytics/unique-visitors.ts'
import { isByChange, type PageOrder } from '../../analytics/visit-counts.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { fewRows, listFields, manyRows, type VisitorsQuestion, visitorsLink } from './visitors-question.ts'
import { filterLink, type ShownReport } from './visitors-tables.ts'

/** Shows some of the pages of a site with their visitors. Its headings sort all pages of the range, not only the shown ones. */
export function showPages(shown: ShownReport): Markup {
  const { visit, question, report } = shown
  const { pages, matching, compared } = report
  const { order, contains, filter } = question
  const barKind = order === 'human' || order === 'ai' ? order : 'total'
  const before = new Map(compared?.pages.map(page => [page.path, page[barKind]]))
  const change: Column<PageVisitors> = {
    heading: texts.changeHeading,
    isNumber: true,
    show: page => showDifference(page[barKind], before.get(page.path) ?? 0),
  }
  // The largest loss is first, and a second click sorts by the largest gain.
  const changeOrder = order === 'loss' ? 'gain' : 'loss'
  const max = Math.max(1, ...pages.map(page => page[barKind]))
  const path = (page: string) => filterLink(shown, 'page', page, html`<code>${page}</code>`)
  return html`${filter.page === undefined && showFinder(visit, question)}
${table(pages, {
  caption: texts.pagesTitle,
  empty: contains === '' ? texts.noPages : texts.noMatch(contains),
  columns: [
    sortedColumn(visit, question, 'path', { heading: texts.path, show: page => path(page.path) }),
    sortedColumn(visit, question, 'total', countColumn(texts.total, 'total')),
    sortedColumn(visit, question, 'human', countColumn(texts.people, 'human')),
    sortedColumn(visit, question, 'ai', countColumn(texts.ai, 'ai')),
    ...(compared ? [sortedColumn(visit, question, changeOrder, change)] : []),
    { heading: '', show: page => bar(page[barKind], max) },
  ],
})}
${showPaging(visit, question, matching)}`
}

function countColumn(heading: string, kind: 'human' | 'ai' | 'total'): Column<PageVisitors> {
  return { heading, isNumber: true, show: page => showNumber(page[kind]) }
}

function sortedColumn(
  visit: Visit,
  question: VisitorsQuestion,
  order: PageOrder,
  column: Column<PageVisitors>,
): Column<PageVisitors> {
  const isSorted = question.order === order || (isByChange(order) && isByChange(question.order))
  const isUp = question.order === 'path' || question.order === 'loss'
  const sort = {
    address: `${visitorsLink(visit, question, { order })}#list`,
    name: isByChange(order) ? texts.sortByChange[order] : texts.sortBy(column.heading),
    ...(isSorted && { is: isUp ? ('ascending' as const) : ('descending' as const) }),
  }
  return { ...column, sort }
}

/** Repeats the number beside it, so screen readers leave it out. */
function bar(value: number, max: number): Markup {
  return html`<meter min="0" max="${max}" value="${value}" aria-hidden="true"></meter>`
}

function showFinder(visit: Visit, question: VisitorsQuestion): Markup {
  const { contains } = question
  const every = visitorsLink(visit, question, { contains: '' })
  return html`<form method="get" action="${visit.link('/visitors')}#list" class="tools" role="search">
${hiddenFields(listFields({ ...question, part: 1 }).filter(([name]) => name !== 'find'))}
<div class="field"><label for="find">${texts.find}</label>
<input id="find" type="search" name="find" value="${contains}" maxlength="200" autocomplete="off"></div>
<button>${texts.findButton}</button>
${contains !== '' && html`<a href="${every}#list">${texts.everyPage}</a>`}
</form>`
}

function showPaging(visit: Visit, question: VisitorsQuestion, matching: number): Markup {
  const { part, hasAll } = question
  const rows = hasAll ? manyRows : fewRows
  const first = (part - 1) * rows + 1
  const last = Math.min(part * rows, matching)
  const address = (part: number) => `${visitorsLink(visit, question, { part })}#list`
  const lastPart = Math.max(1, Math.ceil(matching / rows))
  const all = `${visitorsLink(visit, question, { hasAll: true })}#list`
  const allLabel = matching > manyRows ? texts.manyRows(manyRows) : texts.allRows(showNumber(matching))
  return html`<nav class="paging" aria-label="${texts.paging}">
${first <= last && html`<span>${texts.shownRows(showNumber(first), showNumber(last), showNumber(matching))}</span>`}
${part > 1 && html`<a class="button" rel="prev" href="${address(Math.min(part - 1, lastPart))}">${texts.previous}</a>`}
${last < matching && html`<a class="button" rel="next" href="${address(part + 1)}">${texts.next}</a>`}
${!hasAll && matching > fewRows && html`<a class="button" href="${all}">${allLabel}</a>`}
</nav>`
}

/** Keeps a part of a question in a form. */
export function hiddenFields(fields: readonly [name: string, value: string][]): Markup[] {
  return fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}
