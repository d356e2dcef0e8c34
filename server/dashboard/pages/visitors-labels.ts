import { toAgentKey } from '../../analytics/agents/agent-use.ts'
import type { FailedPages } from '../../analytics/report/failed-report.ts'
import type { ReportView } from '../../analytics/report/report-view.ts'
import type { LabelReport } from '../../analytics/report/visit-report.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'

/** Agents and sites beside a page that failed. */
const maxSources = 3

/** Shows who came besides people: AI agents, what they read, and programs. And the people who came from AI assistants. */
export function showLabels(report: ReportView): Markup {
  const { labels, cut } = report
  return html`<h2>${texts.agentsTitle}</h2>
${showAgents(report)}
${labels.files.length > 0 && showFiles(labels)}
<h2>${texts.referralsTitle}</h2>
${showReferrals(report)}
${showFailed(texts.missingTitle, labels.failed.missing, cut.missing)}
${showFailed(texts.brokenTitle, labels.failed.broken, cut.broken)}
<h2>${texts.neitherTitle}</h2>
<p>${texts.neitherHint}</p>
${table(labels.neither, {
  caption: texts.neitherTitle,
  empty: texts.noNeither,
  columns: [{ heading: texts.rule, show: ({ rule }) => rule }, visitorsColumn()],
})}
${more(cut.neither)}`
}

function visitorsColumn<Row extends { visitors: number }>(): Column<Row> {
  return { heading: texts.visitors, isNumber: true, show: ({ visitors }) => showNumber(visitors) }
}

function showAgents({ labels: { agents, uses }, coverage, readFrom, cut }: ReportView): Markup {
  const read = new Map(coverage.agents.map(row => [toAgentKey(row.agent, row.use), row.read]))
  if (agents.length === 0) return html`<p class="empty">${texts.noAgents}</p>`
  return html`<p>${texts.agentsHint}</p>
${table(uses, {
  caption: texts.byUse,
  empty: '',
  columns: [
    { heading: texts.use, show: ({ use }) => texts.uses[use] },
    { heading: texts.agents, isNumber: true, show: row => showNumber(row.agents) },
    visitorsColumn(),
  ],
})}
${table(agents, {
  caption: texts.agentsTitle,
  empty: '',
  columns: [
    { heading: texts.agent, show: ({ agent }) => agent },
    { heading: texts.use, show: ({ use }) => texts.uses[use] },
    visitorsColumn(),
    {
      heading: texts.pagesRead,
      isNumber: true,
      show: ({ agent, use }) => texts.share(read.get(toAgentKey(agent, use)) ?? 0, coverage.pages),
    },
  ],
})}
<p class="hint">${texts.coverage(coverage.pages, readFrom)}</p>
${more(cut.agents)}`
}

function showFiles({ files, readers }: LabelReport): Markup {
  return html`<h2>${texts.filesTitle}</h2>
<p>${texts.filesHint}</p>
${table(files, {
  caption: texts.filesTitle,
  empty: '',
  columns: [
    { heading: texts.file, show: ({ file }) => file },
    { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
    { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
    { heading: texts.neither, isNumber: true, show: ({ neither }) => showNumber(neither) },
  ],
})}
${
  readers.length > 0 &&
  table(readers, {
    caption: texts.readers,
    empty: '',
    columns: [
      { heading: texts.agent, show: ({ agent }) => agent },
      { heading: texts.file, show: ({ file }) => file },
      visitorsColumn(),
    ],
  })
}`
}

function showReferrals({ labels: { referrals }, assistantPages, cut }: ReportView): Markup {
  const { visitors, sites } = referrals
  if (visitors === 0 && assistantPages.length === 0) return html`<p class="empty">${texts.noReferrals}</p>`
  return html`<p>${texts.referrals(visitors)}</p>
${table(sites, {
  caption: texts.referralsTitle,
  empty: '',
  columns: [
    { heading: texts.assistant, show: ({ assistant }) => assistant },
    { heading: texts.site, show: ({ site }) => site },
    visitorsColumn(),
  ],
})}
<details class="sample"><summary>${texts.assistantPagesTitle}</summary>
<p>${texts.assistantPagesHint}</p>
${table(assistantPages, {
  caption: texts.assistantPagesTitle,
  empty: '',
  columns: [
    { heading: texts.path, show: ({ path }) => html`<code>${path}</code>` },
    { heading: texts.assistant, show: ({ assistant }) => assistant },
    { heading: texts.ai, isNumber: true, show: ({ ai }) => (ai === null ? '' : showNumber(ai)) },
    { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
  ],
})}
${more(cut.assistantPages)}</details>`
}

/** Shows nothing when no page failed. */
function showFailed(title: string, { human, ai, unlisted, pages }: FailedPages, cut: number): Markup | false {
  if (human + ai === 0) return false
  return html`<h2>${title}</h2>
<p>${texts.failed(human, ai)} ${unlisted.human + unlisted.ai > 0 && texts.unlisted}</p>
${table(pages, {
  caption: title,
  empty: '',
  columns: [
    { heading: texts.path, show: ({ path }) => html`<code>${path}</code>` },
    { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
    { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
    {
      heading: texts.failedFrom,
      show: ({ agents, sites }) =>
        [...agents.map(row => ({ ...row, name: row.agent })), ...sites.map(row => ({ ...row, name: row.site }))]
          .map(({ name, visitors }) => `${name} (${showNumber(visitors)})`)
          .slice(0, maxSources)
          .join(', '),
    },
  ],
})}
${more(cut)}`
}

function more(rows: number): Markup | false {
  return rows > 0 && html`<p class="hint">${texts.more(rows)}</p>`
}
