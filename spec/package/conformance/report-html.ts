import { checks } from './checks.ts'
import { summarize } from './report-text.ts'
import type { Report } from './run.ts'

/** Writes a report as a page without scripts, which needs nothing else. */
export function writeHtml(report: Report): string {
  const { url, seed, failures, unreached, statuses, generated } = report
  const title = `Conformance of ${url}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${toText(title)}</title>
<style>${style}</style>
<h1>${toText(title)}</h1>
<p>${toText(summarize(report))} Seed: ${seed}.</p>
<h2>Checks</h2>
${table(
  ['check', 'passed', 'failed', 'meaning'],
  report.checks.map(({ check, passed, failed, notDone }) => ({
    mark: failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'open',
    cells: [
      check,
      `${passed}`,
      `${failed}`,
      [checks[check], ...notDone.map(reason => `Not done: ${reason}`)].join(' '),
    ],
  })),
)}
<h2>Failures</h2>
${failures.length === 0 ? '<p>None.</p>' : failures.map(writeFailure).join('\n')}
<h2>Documented responses that were not reached</h2>
${table(
  ['operation', 'status', 'media type', 'reason'],
  unreached.map(({ operation, status, mediaType = '', reason }) => ({
    cells: [operation, `${status}`, mediaType, reason],
  })),
)}
<h2>Answers by operation</h2>
${table(
  ['operation', 'made from the document', 'answers by status'],
  generated.map(({ operation, valid, invalid }) => ({
    cells: [
      operation,
      `${valid} valid, ${invalid} invalid`,
      Object.entries(statuses[operation] ?? {})
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ],
  })),
)}
</html>
`
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

function table(names: readonly string[], rows: readonly { cells: readonly string[]; mark?: string }[]): string {
  const head = names.map(name => `<th scope="col">${toText(name)}</th>`).join('')
  const body = rows.map(({ cells, mark }) => {
    const attribute = mark === undefined ? '' : ` class="${mark}"`
    return `<tr${attribute}>${cells.map(cell => `<td>${toText(cell)}</td>`).join('')}</tr>`
  })
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`
}

function toText(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, char => names[char] ?? char)
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
td:first-child { white-space: nowrap; }
tr.failed td:first-child::before { content: "\\2717  "; color: light-dark(#b3261e, #ff8a80); }
tr.passed td:first-child::before { content: "\\2713  "; color: light-dark(#1b6e32, #7fd99a); }
tr.open td:first-child::before { content: "\\2013  "; }
pre { overflow-x: auto; padding: .6rem; background: color-mix(in srgb, currentColor 8%, transparent); white-space: pre-wrap; overflow-wrap: anywhere; }
`
