import { isDeepStrictEqual } from 'node:util'
import { readMediaType, readText } from '../exchange.ts'
import { type Exchange, LawSkipped } from '../session.ts'
import type { Law } from './law.ts'
import { askVisitors, readLeft, requireStatus, type Visitors } from './visitors.ts'

/** An answer that is unchanged need not be sent again. */
export const conditionalLaw: Law = {
  checks: ['conditional_request'],
  async run(session) {
    const { getUniqueVisitors } = session.operations
    const first = (await askVisitors(session, 'limit=1')).exchange
    const tag = readTag(first)
    const ask = (query: string, headers: Record<string, string>) => session.ask(getUniqueVisitors, { query, headers })
    const require = (exchange: Exchange, status: number, why: string) => {
      const given = exchange.answer.status
      if (given === 429) throw new LawSkipped('The analytics budget of the organization is spent.')
      session.check('conditional_request', given === status, () => `${why}, but the status is ${given}.`, exchange)
    }
    const same = await ask('limit=1', { 'If-None-Match': tag })
    const list = await ask('limit=1', { 'If-None-Match': `"other", ${tag}` })
    const last = (await askVisitors(session, 'limit=1')).exchange
    if (readTag(last) !== tag) throw new LawSkipped('The counts of the project changed meanwhile. Run the kit again.')
    require(same, 304, 'If-None-Match is the ETag of the same query')
    require(list, 304, 'If-None-Match has the ETag of the same query in a list')
    // One was spent by the last request. Some may have come back meanwhile.
    const isFree = (readLeft(last) ?? 0) >= (readLeft(first) ?? 0) - 1
    session.check('conditional_request', isFree, () => 'A 304 spends of the budget.', last)
    const reload = await ask('limit=1', { 'If-None-Match': tag, 'Cache-Control': 'no-cache' })
    require(reload, 200, 'Cache-Control: no-cache asks for the counts')
    require(await ask('limit=1', { 'If-None-Match': 'W/"unknown"' }), 200, 'If-None-Match has an unknown ETag')
    require(await ask('limit=2', { 'If-None-Match': tag }), 200, 'If-None-Match is the ETag of another query')
    const csv = await ask('', { 'If-None-Match': tag, Accept: 'text/csv' })
    require(csv, 200, 'If-None-Match is the ETag of the JSON, and Accept prefers the CSV')
  },
}

function readTag({ answer }: Exchange): string {
  const tag = answer.headers.etag
  // The comparison with the document has failed already.
  if (tag === undefined) throw new LawSkipped()
  return tag
}

/** The CSV is another form of the same counts. */
export const csvLaw: Law = {
  checks: ['csv_equals_json'],
  async run(session) {
    const { visitors } = await askVisitors(session, 'limit=250')
    const exchange = await session.ask(session.operations.getUniqueVisitors, { headers: { Accept: 'text/csv' } })
    requireStatus(session, exchange, '')
    const again = await askVisitors(session, 'limit=250')
    if (!isDeepStrictEqual(again.visitors, visitors)) {
      throw new LawSkipped('The counts of the project changed meanwhile. Run the kit again.')
    }
    const fault = compareCsv(exchange, visitors)
    session.check('csv_equals_json', fault === undefined, () => fault ?? '', exchange)
    for (const accept of ['*/*', 'text/html', 'application/json, text/csv;q=0.5']) {
      const json = await askVisitors(session, 'limit=1', { Accept: accept })
      const mediaType = readMediaType(json.exchange.answer)
      const isJson = mediaType === 'application/json'
      session.check('csv_equals_json', isJson, () => `Accept: ${accept} gets ${mediaType}, not JSON.`, json.exchange)
    }
  },
}

function compareCsv({ answer }: Exchange, { totals, visitors, hasMore }: Visitors): string | undefined {
  if (readMediaType(answer) !== 'text/csv') return 'Accept: text/csv does not get a CSV.'
  const expected = `human=${totals.human}, ai=${totals.ai}, total=${totals.total}`
  const given = answer.headers['visitor-totals']
  if (given !== expected) return `Visitor-Totals is ${given}, and totals of the JSON are ${expected}.`
  const [, ...rows] = parseCsv(readText(answer))
  const pages = visitors.map(({ path, human, ai, total }) => [path, human, ai, total].join('\n'))
  const same = pages.findIndex((page, i) => rows[i]?.join('\n') !== page)
  if (same >= 0) return `Line ${same + 2} of the CSV differs from page ${same + 1} of the JSON.`
  const isComplete = hasMore ? rows.length > pages.length : rows.length === pages.length
  return isComplete ? undefined : `The CSV has ${rows.length} pages, and the JSON ${pages.length}.`
}

/** Parses RFC 4180. */
function parseCsv(text: string): string[][] {
  const fields = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/g
  const rows: string[][] = []
  let row: string[] = []
  for (const [all, field = '', end] of text.matchAll(fields)) {
    if (all === '') break
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
