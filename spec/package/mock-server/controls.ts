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
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  })
  return res.end(writePage(settings, message))
}

function writePage({ scenario, delayMs, error }: Settings, message: string): string {
  const choices = scenarioNames.map(
    name => `<label><input type="radio" name="scenario" value="${name}"${name === scenario ? ' checked' : ''}>
<span><b>${name}</b> ${escapeHtml(summaries[name])}</span></label>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mock settings</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --text: light-dark(#1c2024, #e6e8ea); --quiet: light-dark(#555d65, #a3abb3);
  --ground: light-dark(#ffffff, #14171a); --panel: light-dark(#f4f6f8, #1c2125); --line: light-dark(#dde2e7, #2c333a);
  --field: light-dark(#79828b, #79828b); --accent: light-dark(#0b5cad, #7ab8ff); --bad: light-dark(#b3261e, #ff9a90); }
* { box-sizing: border-box; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--text); background: var(--ground); overflow-wrap: break-word; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.25; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; min-width: 0; }
legend { float: left; width: 100%; padding: .6rem 1rem; font-weight: 600; }
fieldset label { display: flex; gap: .75rem; align-items: baseline; clear: both; padding: .6rem 1rem; background: var(--panel); border-top: 1px solid var(--line); cursor: pointer; }
fieldset label:has(:checked) { box-shadow: inset 4px 0 var(--accent); }
fieldset span { color: var(--quiet); }
fieldset b { color: var(--text); margin-right: .25rem; }
input[type=radio] { flex: none; accent-color: var(--accent); }
form > label { display: block; margin: 0 0 1rem; }
form > label input { display: block; width: 100%; max-width: 24rem; margin-top: .25rem; }
input:not([type=radio]), button { font: inherit; padding: .4rem .7rem; border: 1px solid var(--field); border-radius: 6px; color: var(--text); background: var(--ground); }
button { cursor: pointer; padding: .4rem 1.1rem; margin-right: .5rem; }
button:not([name]) { font-weight: 600; color: var(--ground); background: var(--accent); border-color: var(--accent); }
[role=alert] { padding: .6rem 1rem; border: 1px solid; border-left-width: 5px; border-radius: 8px; color: var(--bad); }
.more { margin-top: 2rem; padding-top: .5rem; border-top: 1px solid var(--line); color: var(--quiet); }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--panel); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; color: var(--text); }
</style>
<main>
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
<div class="more"><p>For one request only: add <code>?__scenario=${scenario}&amp;__delay=500&amp;__error=503</code> to its address, or the header
<code>Prefer: scenario=${scenario}, delay=500, error=503</code>.</p>
<p>With <code>--step</code> or <code>--speed</code>, let the client poll more often:
<code>waitForExport(quire, jobId, { firstWaitMs: 50, maxWaitMs: 50 })</code>.</p></div>
</main>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
