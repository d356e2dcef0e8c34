import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mock, Settings } from '../mock/index.ts'
import { scenarioNames, summaries } from '../mock/index.ts'

/** The page that switches the scenario. */
export const controlPath = '/mock'

/** Answers requests for the page: GET shows the settings, POST changes them, with the same fields as the flags. */
export function answerControls(
  req: IncomingMessage,
  res: ServerResponse,
  { mock, body }: { mock: Mock; body: string },
): ServerResponse {
  const { method = 'GET' } = req
  if (method === 'GET' || method === 'HEAD') return sendPage(res, mock.settings())
  if (method !== 'POST') {
    res.setHeader('Allow', 'GET, HEAD, POST')
    return sendPage(res, mock.settings(), { status: 405, message: 'This page accepts only GET and POST.' })
  }
  // A page of another site may not switch the mock of its visitors.
  const { origin, host } = req.headers
  if (origin !== undefined && origin !== `http://${host}`) {
    return sendPage(res, mock.settings(), { status: 403, message: 'Only this page may change the settings.' })
  }
  const fields = new URLSearchParams(body)
  try {
    if (fields.has('reset')) mock.reset()
    else mock.use(readFields(fields))
  } catch (error) {
    return sendPage(res, mock.settings(), { status: 400, message: (error as Error).message })
  }
  return res.writeHead(303, { Location: controlPath }).end()
}

function readFields(fields: URLSearchParams) {
  const read = (name: string) => fields.get(name) ?? undefined
  return { scenario: read('scenario'), delay: read('delay'), error: read('error') }
}

function sendPage(
  res: ServerResponse,
  settings: Settings,
  { status = 200, message = '' }: { status?: number; message?: string } = {},
): ServerResponse {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  })
  return res.end(writePage(settings, message))
}

function writePage({ scenario, delayMs, error }: Settings, message: string): string {
  const choices = scenarioNames.map(
    name => `<label><input type="radio" name="scenario" value="${name}"${name === scenario ? ' checked' : ''}>
<b>${name}</b> ${escapeHtml(summaries[name])}</label>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mock settings</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; }
label { display: block; margin: .4rem 0; }
fieldset label { padding-left: 1.6rem; text-indent: -1.6rem; }
fieldset { margin: 1rem 0; }
[role=alert] { color: #b00020; }
</style>
<h1>Mock settings</h1>
${message === '' ? '' : `<p role="alert">${escapeHtml(message)}</p>`}
<form method="post">
<fieldset><legend>Scenario</legend>
${choices.join('\n')}
</fieldset>
<label>Delay of each answer in milliseconds <input name="delay" inputmode="numeric" value="${delayMs}"></label>
<label>Error of each answer, such as 503 or network; empty for none <input name="error" value="${escapeHtml(error ?? '')}"></label>
<button>Apply</button>
<button name="reset" value="yes">Start again</button>
</form>
<p>For one request only: add <code>?__scenario=${scenario}&amp;__delay=500&amp;__error=503</code> to its address, or the header
<code>Prefer: scenario=${scenario}, delay=500, error=503</code>.</p>
<p>With <code>--step</code> or <code>--speed</code>, let the client poll more often:
<code>waitForExport(quire, jobId, { firstWaitMs: 50, maxWaitMs: 50 })</code>.</p>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
