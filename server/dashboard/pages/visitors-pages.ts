import type { ReportView } from '../../analytics/report/report-view.ts'
import type { PageVisitors } from '../../analytics/unique-visitors.ts'
import type { PageOrder } from '../../analytics/visit-counts.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { rowsPerPage, type VisitorsQuestion, visitorsLink } from './visitors-question.ts'

/** Shows some of the pages of a site with their visitors. Its headings sort all pages of the range, not only the shown ones. */
export function showPages(visit: Visit, question: VisitorsQuestion, { pages, matching }: ReportView): Markup {
  const { order, contains } = question
  const barKind = order === 'path' ? 'total' : order
  const max = Math.max(1, ...pages.map(page => page[barKind]))
  return html`<h2 id="pages">${texts.pagesTitle}</h2>
${showFinder(visit, question)}
${table(pages, {
  caption: texts.pagesTitle,
  empty: contains === '' ? texts.noPages : texts.noMatch(contains),
  columns: [
    sortedColumn(visit, question, 'path', { heading: texts.path, show: ({ path }) => html`<code>${path}</code>` }),
    sortedColumn(visit, question, 'total', countColumn(texts.total, 'total')),
    sortedColumn(visit, question, 'human', countColumn(texts.people, 'human')),
    sortedColumn(visit, question, 'ai', countColumn(texts.ai, 'ai')),
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
  const sort = {
    address: `${visitorsLink(visit, question, { order })}#pages`,
    name: texts.sortBy(column.heading),
    ...(question.order === order && { is: order === 'path' ? ('ascending' as const) : ('descending' as const) }),
  }
  return { ...column, sort }
}

/** Repeats the number beside it, so screen readers leave it out. */
function bar(value: number, max: number): Markup {
  return html`<meter min="0" max="${max}" value="${value}" aria-hidden="true"></meter>`
}

function showFinder(visit: Visit, { projectId, range, order, contains, ...rest }: VisitorsQuestion): Markup {
  const kept: [string, string][] = [
    ['project', projectId],
    ['range', range.name],
    ['sort', order],
  ]
  if (range.name === 'custom') kept.push(['from', range.from], ['to', range.to])
  const every = visitorsLink(visit, { projectId, range, order, ...rest, contains: '' })
  return html`<form method="get" action="${visit.link('/visitors')}#pages" class="tools" role="search">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="field"><label for="find">${texts.find}</label>
<input id="find" type="search" name="find" value="${contains}" maxlength="200" autocomplete="off"></div>
<button>${texts.findButton}</button>
${contains !== '' && html`<a href="${every}#pages">${texts.everyPage}</a>`}
</form>`
}

function showPaging(visit: Visit, question: VisitorsQuestion, matching: number): Markup {
  const { page } = question
  const first = (page - 1) * rowsPerPage + 1
  const last = Math.min(page * rowsPerPage, matching)
  const address = (page: number) => `${visitorsLink(visit, question, { page })}#pages`
  const lastPage = Math.max(1, Math.ceil(matching / rowsPerPage))
  return html`<nav class="paging" aria-label="${texts.paging}">
${first <= last && html`<span>${texts.shownRows(showNumber(first), showNumber(last), showNumber(matching))}</span>`}
${page > 1 && html`<a class="button" rel="prev" href="${address(Math.min(page - 1, lastPage))}">${texts.previous}</a>`}
${last < matching && html`<a class="button" rel="next" href="${address(page + 1)}">${texts.next}</a>`}
</nav>`
}
