import { toCsvRow } from '../../base/csv.ts'
import type { AuditEvent } from '../../tenancy/audit-event.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { auditTexts as texts } from '../texts/audit.ts'
import { auditColumns, findOrganizations, findSubjectLinks } from './audit-columns.ts'

const rowsPerPage = 50
const rowsPerPart = 1000

/** What the address asks for. */
interface Question {
  /** Operators may see the events of all organizations, and those of none. */
  isAll: boolean
  /** Only events before this id; undefined = from the newest. */
  before: number | undefined
}

/** Who changed what, when and from where. Members see only the events of their organization. */
export const auditPage: PageDefinition = { section: 'audit', path: '/audit', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const question = readQuestion(visit)
  const format = visit.query.get('download')
  if (format === 'csv' || format === 'json') {
    const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8'
    const whose = question.isAll ? 'all' : visit.organization.id
    const body = encode(writeEvents(listAll(visit, question, deps), format))
    return { download: { fileName: `audit-${whose}.${format}`, contentType, body } }
  }
  const { before } = question
  const found = await deps.auditLog.list({ ...scopeOf(visit, question), before, limit: rowsPerPage + 1 })
  const events = found.slice(0, rowsPerPage)
  const organizations = question.isAll ? await findOrganizations(visit, events, deps) : undefined
  const links = await findSubjectLinks(visit, events, deps)
  const content = html`<p>${texts.intro}</p>
${showScopes(visit, question)}
${table(events, {
  caption: texts.title,
  empty: before === undefined ? texts.empty : texts.noOlder,
  columns: auditColumns(links, { organizations }),
})}
<nav class="paging" aria-label="${texts.paging}">
${before !== undefined && html`<a class="button" href="${auditLink(visit, { ...question, before: undefined })}">${texts.newest}</a>`}
${found.length > rowsPerPage && html`<a class="button" rel="next" href="${auditLink(visit, { ...question, before: events.at(-1)?.id })}">${texts.older}</a>`}
</nav>
${events.length > 0 && showDownloads(visit, question)}`
  return { title: texts.title, content }
}

/** A member who asks for all organizations gets only their own. */
function readQuestion({ query, person }: Visit): Question {
  const before = Number(query.get('before') ?? Number.NaN)
  return {
    isAll: person.organizationId === null && query.get('scope') === 'all',
    before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
  }
}

function scopeOf({ organization }: Visit, { isAll }: Question): { organizationId: string | undefined } {
  return { organizationId: isAll ? undefined : organization.id }
}

function auditLink(visit: Visit, { isAll, before }: Question, download?: 'csv' | 'json'): string {
  const query = new URLSearchParams()
  if (isAll) query.set('scope', 'all')
  if (before !== undefined) query.set('before', String(before))
  if (download !== undefined) query.set('download', download)
  return visit.link('/audit') + (query.size > 0 ? `?${query}` : '')
}

function showScopes(visit: Visit, { isAll }: Question): Markup | false {
  if (visit.person.organizationId !== null) return false
  const item = (isChosen: boolean, address: string, label: string) =>
    html`<li><a href="${address}"${isChosen && html` aria-current="true"`}>${label}</a></li>`
  return html`<nav class="ranges" aria-label="${texts.scope}"><ul>
${item(!isAll, auditLink(visit, { isAll: false, before: undefined }), texts.scopes.own(visit.organization.name))}
${item(isAll, auditLink(visit, { isAll: true, before: undefined }), texts.scopes.all)}
</ul></nav>`
}

/** All events, not only the shown ones. */
function showDownloads(visit: Visit, { isAll }: Question): Markup {
  const address = (format: 'csv' | 'json') => auditLink(visit, { isAll, before: undefined }, format)
  return html`<p class="buttons"><a class="button" href="${address('csv')}">${texts.downloadCsv}</a>
<a class="button" href="${address('json')}">${texts.downloadJson}</a></p>`
}

/** Lists the events part by part, the newest first. Events that are appended meanwhile are not among them. */
async function* listAll(
  visit: Visit,
  question: Question,
  { auditLog }: Pick<DashboardDeps, 'auditLog'>,
): AsyncGenerator<AuditEvent[]> {
  let before: number | undefined
  for (;;) {
    const events = await auditLog.list({ ...scopeOf(visit, question), before, limit: rowsPerPart })
    if (events.length > 0) yield events
    before = events.at(-1)?.id
    if (events.length < rowsPerPart) return
  }
}

async function* writeEvents(parts: AsyncIterable<AuditEvent[]>, format: 'csv' | 'json'): AsyncGenerator<string> {
  const columns = ['id', 'at', 'action', 'subject', 'detail', 'actor', 'address', 'organizationId'] as const
  let head = format === 'csv' ? toCsvRow(columns) : '['
  for await (const events of parts) {
    const rows = events.map(event => ({ ...event, at: new Date(event.at).toISOString() }))
    const texts =
      format === 'csv'
        ? rows.map(row => toCsvRow(columns.map(name => row[name] ?? '')))
        : rows.map((row, i) => `${head === '' || i > 0 ? ',' : ''}\n${JSON.stringify(row, [...columns])}`)
    yield head + texts.join('')
    head = ''
  }
  yield format === 'csv' ? head : `${head}\n]\n`
}

async function* encode(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}
