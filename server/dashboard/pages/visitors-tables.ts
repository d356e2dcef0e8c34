import { toAgentKey } from '../../analytics/agents/agent-use.ts'
import type { Failure } from '../../analytics/failed-pages.ts'
import { showDifference } from '../../analytics/report/compare.ts'
import type { FailedPages } from '../../analytics/report/failed-report.ts'
import type { ReportView } from '../../analytics/report/report-view.ts'
import type { LabelReport } from '../../analytics/report/visit-report.ts'
import { type FilterName, hasFilter } from '../../analytics/visit-filter.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { addToFilter, fewRows, manyRows, type VisitorsQuestion, visitorsLink } from './visitors-question.ts'

/** Agents and sites beside a page that failed. */
const maxSources = 3

/** A page of the visitors, as it shows tables. */
export interface ShownReport {
  visit: Visit
  question: VisitorsQuestion
  report: ReportView
}

/** Links a value to the visitors that it chooses. What is chosen already stays a text. */
export function filterLink({ visit, question }: ShownReport, name: FilterName, value: string, label?: Markup): Markup {
  const text = label ?? html`${value}`
  const { filter } = question
  if (filter[name]?.toLowerCase() === value.toLowerCase()) return text
  const change = { filter: addToFilter(filter, name, value), contains: '', hasAll: false }
  return html`<a href="${visitorsLink(visit, question, change)}">${text}</a>`
}

/** Shows AI agents by use and by name, what they read as text, and programs. */
export function showAgents(shown: ShownReport): Markup {
  const { labels, compared, cut } = shown.report
  const { files, readers, neither } = labels
  const before = compared?.labels
  const agents = cut.agents > 0 ? labels.agents : addLost(labels.agents, before?.agents, keyOfAgent)
  const lostUses = before?.uses.map(row => ({ ...row, agents: 0 }))
  const uses = addLost(labels.uses, lostUses, ({ use }) => use)
  const useOf = (use: LabelReport['uses'][number]['use']) => filterLink(shown, 'class', use, html`${texts.uses[use]}`)
  return html`${
    agents.length === 0
      ? html`<p class="empty">${texts.noAgents}</p>`
      : html`<p>${texts.agentsHint}</p>
${table(uses, {
  caption: texts.byUse,
  empty: '',
  columns: [
    { heading: texts.use, show: ({ use }) => useOf(use) },
    { heading: texts.agents, isNumber: true, show: row => showNumber(row.agents) },
    ...visitorColumns(before?.uses, ({ use }) => use),
  ],
})}
${cutTable(
  shown,
  texts.agentsTitle,
  agents,
  [
    { heading: texts.agent, show: ({ agent }) => filterLink(shown, 'agent', agent) },
    { heading: texts.use, show: ({ use }) => useOf(use) },
    ...visitorColumns(before?.agents, keyOfAgent),
    ...readColumn(shown),
  ],
  { cut: cut.agents },
)}
${showCoverage(shown)}`
  }
${files.length > 0 && cutTable(shown, texts.filesTitle, files, fileColumns, { hint: texts.filesHint })}
${
  readers.length > 0 &&
  cutTable(shown, texts.readers, readers, [
    { heading: texts.agent, show: ({ agent }) => filterLink(shown, 'agent', agent) },
    { heading: texts.file, show: ({ file }) => file },
    ...visitorColumns(before?.readers, ({ agent, file }) => `${file} ${agent}`),
  ])
}
${
  neither.length > 0 &&
  cutTable(
    shown,
    texts.neitherTitle,
    neither,
    [{ heading: texts.rule, show: ({ rule }) => rule }, ...visitorColumns(before?.neither, ({ rule }) => rule)],
    { hint: texts.neitherHint, cut: cut.neither },
  )
}`
}

const fileColumns: Column<LabelReport['files'][number]>[] = [
  { heading: texts.file, show: ({ file }) => file },
  { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
  { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
  { heading: texts.neither, isNumber: true, show: ({ neither }) => showNumber(neither) },
]

function keyOfAgent({ agent, use }: LabelReport['agents'][number]): string {
  return toAgentKey(agent, use)
}

/** Adds the rows that only the range before has, with 0 visitors. */
function addLost<Row extends { visitors: number }>(
  rows: readonly Row[],
  before: readonly Row[] = [],
  keyOf: (row: Row) => string,
): Row[] {
  const known = new Set(rows.map(keyOf))
  return [...rows, ...before.filter(row => !known.has(keyOf(row))).map(row => ({ ...row, visitors: 0 }))]
}

/** The visitors of a row, and how they changed. */
function visitorColumns<Row extends { visitors: number }>(
  before: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
  heading: string = texts.visitors,
): Column<Row>[] {
  const visitors = { heading, isNumber: true, show: (row: Row) => showNumber(row.visitors) }
  if (!before) return [visitors]
  const old = new Map(before.map(row => [keyOf(row), row.visitors]))
  const show = (row: Row) => showDifference(row.visitors, old.get(keyOf(row)) ?? 0)
  return [visitors, { heading: texts.changeHeading, isNumber: true, show }]
}

/** How much of the site each agent read, if it was counted. */
function readColumn({ question, report: { coverage } }: ShownReport): Column<LabelReport['agents'][number]>[] {
  if (coverage.agents.length === 0 || question.filter.page !== undefined) return []
  const read = new Map(coverage.agents.map(row => [toAgentKey(row.agent, row.use), row.read]))
  const show = ({ agent, use }: LabelReport['agents'][number]) =>
    texts.share(read.get(toAgentKey(agent, use)) ?? 0, coverage.pages)
  return [{ heading: texts.pagesRead, isNumber: true, show }]
}

function showCoverage({ visit, question, report: { coverage, readFrom } }: ShownReport): Markup | false {
  if (question.filter.page !== undefined) return false
  if (coverage.agents.length > 0) return html`<p class="hint">${texts.coverage(coverage.pages, readFrom)}</p>`
  const address = visitorsLink(visit, question, { hasCoverage: true })
  return html`<p><a href="${address}#list">${texts.countCoverage}</a></p>`
}

/** Shows the people who came from AI assistants. */
export function showReferrers(shown: ShownReport): Markup {
  const { labels, compared } = shown.report
  const { visitors, sites } = labels.referrals
  if (visitors === 0) return html`<p class="empty">${texts.noReferrals}</p>`
  return html`<p>${texts.referrals(visitors)} ${texts.referralsHint}</p>
${cutTable(shown, texts.referralsTitle, sites, [
  { heading: texts.assistant, show: ({ assistant }) => filterLink(shown, 'assistant', assistant) },
  { heading: texts.site, isText: true, show: ({ site }) => filterLink(shown, 'referrer', site) },
  ...visitorColumns(compared?.labels?.referrals.sites, ({ site }) => site, texts.people),
])}`
}

/** Shows the pages that were asked for and not sent. */
export function showFailures(shown: ShownReport): Markup {
  const { missing, broken } = shown.report.labels.failed
  const before = shown.report.compared?.labels?.failed
  const parts = [
    showFailed(shown, 'missing', missing, before?.missing),
    showFailed(shown, 'broken', broken, before?.broken),
  ]
  return parts.some(Boolean) ? html`${parts}` : html`<p class="empty">${texts.noFailures}</p>`
}

/** Shows nothing when no page failed. */
function showFailed(
  shown: ShownReport,
  failure: Failure,
  { human, ai, unlisted, pages }: FailedPages,
  before: FailedPages | undefined,
): Markup | false {
  if (human + ai === 0) return false
  const old = new Map(before?.pages.map(page => [page.path, page.human + page.ai]))
  const hint = html`${texts.failed(human, ai)} ${unlisted.human + unlisted.ai > 0 && (hasFilter(shown.question.filter) ? texts.unlistedFiltered : texts.unlisted)}`
  return cutTable(
    shown,
    failure === 'missing' ? texts.missingTitle : texts.brokenTitle,
    pages,
    [
      { heading: texts.path, show: ({ path }) => html`<code>${filterLink(shown, 'page', path)}</code>` },
      { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
      { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
      ...(before
        ? [
            {
              heading: texts.changeHeading,
              isNumber: true,
              show: ({ path, human, ai }: FailedPages['pages'][number]) =>
                showDifference(human + ai, old.get(path) ?? 0),
            },
          ]
        : []),
      {
        heading: texts.failedFrom,
        isText: true,
        show: ({ agents, sites }) =>
          [...agents.map(row => ({ ...row, name: row.agent })), ...sites.map(row => ({ ...row, name: row.site }))]
            .map(({ name, visitors }) => `${name} (${showNumber(visitors)})`)
            .slice(0, maxSources)
            .join(', '),
      },
    ],
    { hint, cut: shown.report.cut[failure] },
  )
}

/** Shows the first rows of a table with its title, and a link to all. */
function cutTable<Row>(
  { visit, question }: ShownReport,
  caption: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { hint = '', cut = 0 }: { hint?: string | Markup; cut?: number } = {},
): Markup {
  const max = question.hasAll ? manyRows : fewRows
  const all = visitorsLink(visit, question, { hasAll: true })
  const count = rows.length + cut
  const left = count - max
  const label = count > manyRows ? texts.firstRows(manyRows) : texts.all
  return html`<h3>${caption} ${left > 0 && !question.hasAll && html`<a class="all" href="${all}#list" aria-label="${texts.ofTable(label, caption)}">${label}</a>`}</h3>
${hint !== '' && html`<p>${hint}</p>`}
${table(rows.slice(0, max), { caption, empty: '', columns })}
${left > 0 && question.hasAll && html`<p class="hint">${texts.more(left)}</p>`}`
}
