import { writeCurlSample } from '../../docs/curl-sample.ts'
import { writePythonSample } from '../../docs/python-sample.ts'
import type { SampleRequest } from '../../docs/sample-request.ts'
import { writeTypeScriptSample } from '../../docs/typescript-sample.ts'
import { copyButton } from '../parts/copy.ts'
import { html, type Markup } from '../parts/html.ts'
import { keyTexts as texts } from '../texts/keys.ts'

/**
 * Lines that count the visitors of a project, in three languages. They read the key from $QUIRE_API_KEY.
 *
 * @param secret a new key, which the lines for the shell set; undefined = a placeholder
 */
export function trySamples(baseUrl: string, projectId: string, secret?: string): Markup {
  const request: SampleRequest = {
    operationId: 'getUniqueVisitors',
    method: 'GET',
    baseUrl,
    path: `/v1/analytics/${projectId}/visitors?limit=5`,
    parameters: { path: { projectId }, query: { limit: 5 }, header: {} },
    body: undefined,
    successStatus: 200,
  }
  const samples = [
    ['curl', `export QUIRE_API_KEY=${secret ?? 'KEY'}\n${writeCurlSample(request)}`],
    ['TypeScript', writeTypeScriptSample(request)],
    ['Python', writePythonSample(request)],
  ] as const
  return html`<p>${texts.tryHint} ${secret === undefined ? texts.tryYourKey : texts.tryNewKey}</p>
${samples.map(
  ([language, text], at) => html`<details class="sample"${at === 0 && html` open`}><summary>${language}</summary>
${copyButton(text, { label: texts.copy, name: texts.copyNamed(`the lines for ${language}`) })}
<pre tabindex="0"><code>${text}</code></pre></details>`,
)}`
}
