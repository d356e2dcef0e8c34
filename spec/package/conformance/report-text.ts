import { checks } from './checks.ts'
import type { Failure } from './recorder.ts'
import type { Report } from './run.ts'
import { groupByReason } from './unreached.ts'

/** Writes a report for a terminal. */
export function writeText(report: Report): string {
  const { url, seed, failures, unreached } = report
  const width = Math.max(...Object.keys(checks).map(name => name.length))
  const sections = [
    `${url}, seed ${seed}`,
    report.checks
      .map(({ check, passed, failed, notDone }) => {
        const mark = failed > 0 ? 'FAIL' : passed > 0 ? 'ok' : '-'
        const counts = failed > 0 ? `${failed} of ${passed + failed} failed` : passed > 0 ? `${passed}` : 'not done'
        const line = `${mark.padEnd(5)} ${check.padEnd(width)}  ${counts}`
        return [line, ...notDone.map(reason => `${' '.repeat(6)}not done: ${reason}`)].join('\n')
      })
      .join('\n'),
    ...failures.map(writeFailure),
    ...(unreached.length === 0
      ? []
      : [
          `Documented responses that were not reached, by reason:\n${groupByReason(unreached)
            .map(({ reason, responses }) => `  ${reason}\n    ${responses.join(', ')}`)
            .join('\n')}`,
        ]),
    summarize(report),
  ]
  return `${sections.join('\n\n')}\n`
}

function writeFailure({ check, operation, message, curl, status, requestId, count }: Failure): string {
  const place = operation === undefined ? check : `${check}, ${operation}`
  const lines = [`FAIL ${place}: ${message}`]
  if (curl !== undefined) lines.push(`  ${curl}`)
  if (status !== undefined)
    lines.push(`  answer: ${status}${requestId === undefined ? '' : `, request id ${requestId}`}`)
  if (count > 1) lines.push(`  ${count} failures of this check and operation in all`)
  return lines.join('\n')
}

/** Writes the result in one sentence or two. */
export function summarize({ requests, checks: results, documentedResponses, unreached }: Report): string {
  const failed = results.filter(result => result.failed > 0).length
  const notDone = results.filter(result => result.failed === 0 && result.passed === 0).length
  const passed = results.length - failed - notDone
  const reached = documentedResponses - unreached.length
  return (
    `${requests} requests. ${passed} checks passed, ${failed} failed, ${notDone} not done. ` +
    `${reached} of ${documentedResponses} documented responses reached.`
  )
}
