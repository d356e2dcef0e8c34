import { checks } from './checks.ts'
import { summarize } from './report-text.ts'
import type { Report } from './run.ts'
import { groupByReason } from './unreached.ts'

/** Writes a report as a page without scripts, which needs nothing else. */
export function writeHtml(report: Report): string {
  const { url, seed } = report
  const title = `Conformance of ${url}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${toText(title)}</title>
<style>${style}</style>
<h1>${toText(title)}</h1>
<p>${toText(summarize(report))} Seed: ${seed}.</p>
<h2>Failures</h2>
${writeFailures(report)}
<h2>Checks</h2>
${writeChecks(report)}
<h2>Documented responses that were not reached</h2>
${writeUnreached(report)}
<h2>Answers by operation</h2>
${writeStatuses(report)}
</html>
`
}

function writeFailures({ failures }: Report): string {
  if (failures.length === 0) return '<p>None.</p>'
  return `<p>In the curl lines, <code>$KEY</code> is your key, and <code>$WRONG_KEY</code> is a key that differs from it.</p>
${failures.map(writeFailure).join('\n')}`
}

function writeChecks({ checks: results }: Report): string {
  return table(
    ['result', 'check', 'passed', 'failed', 'meaning'],
    results.map(({ check, passed, failed, notDone }) => {
      const mark = failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'open'
      const notes = notDone.map(reason => `Not done: ${reason}`)
      return { mark, cells: [mark === 'open' ? 'not done' : mark, check, passed, failed, checks[check]], notes }
    }),
  )
}

function writeUnreached({ unreached }: Report): string {
  if (unreached.length === 0) return '<p>None.</p>'
  const rows = groupByReason(unreached).map(({ reason, responses }) => ({ cells: [reason, responses.join(', ')] }))
  return table(['reason', 'responses'], rows)
}

function writeStatuses({ generated, statuses }: Report): string {
  return table(
    ['operation', 'made from the document', 'answers by status'],
    generated.map(({ operation, valid, invalid }) => {
      const counts = Object.entries(statuses[operation] ?? {}).map(([status, count]) => `${status}: ${count}`)
      return { cells: [operation, `${valid} valid, ${invalid} invalid`, counts.join(', ')] }
    }),
  )
}

function writeFailure({
  check,
  operation,
  message,
  curl,
  status,
  requestId,
  count,
}: Report['failures'][number]): string {
  const answer = status === undefined ? '' : `Answer: ${status}. `
  const id = requestId === undefined ? '' : `Request id: ${requestId}. `
  const place = operation === undefined ? check : `${check}, ${operation}`
  return `<h3>${toText(place)}</h3>
<p>${toText(message)}</p>
<pre>${toText(curl ?? '')}</pre>
<p>${toText(`${answer}${id}Failures of this check and operation: ${count}.`)}</p>`
}

interface Row {
  cells: readonly (string | number)[]
  mark?: string
  /** Lines below the last cell. */
  notes?: readonly string[]
}

function table(names: readonly string[], rows: readonly Row[]): string {
  const head = names.map(name => `<th scope="col">${toText(name)}</th>`).join('')
  const body = rows.map(({ cells, mark, notes = [] }) => {
    const attribute = mark === undefined ? '' : ` class="${mark}"`
    const below = notes.map(note => `<br><em>${toText(note)}</em>`).join('')
    const written = cells.map((cell, index) => {
      const kind = typeof cell === 'number' ? ' class="number"' : ''
      return `<td${kind}>${toText(String(cell))}${index === cells.length - 1 ? below : ''}</td>`
    })
    return `<tr${attribute}>${written.join('')}</tr>`
  })
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`
}

function toText(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, char => names[char] ?? char)
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .3rem .6rem; text-align: left; vertical-align: top; }
th, tr[class] td:first-child { white-space: nowrap; }
td:last-child { min-width: 16rem; }
td.number { text-align: right; }
tr.failed { background: color-mix(in srgb, #b3261e 14%, transparent); }
tr.failed td:first-child { color: light-dark(#b3261e, #ff8a80); font-weight: bold; }
tr.failed td:first-child::before { content: "\\2717  " / ""; }
tr.passed td:first-child { color: light-dark(#1b6e32, #7fd99a); }
tr.passed td:first-child::before { content: "\\2713  " / ""; }
tr.open td:first-child::before { content: "\\2013  " / ""; }
pre { overflow-x: auto; padding: .6rem; background: color-mix(in srgb, currentColor 8%, transparent); white-space: pre-wrap; overflow-wrap: anywhere; }
`
