import {
  type ApiContent,
  type ApiDocument,
  type ApiParameter,
  type ApiSchema,
  type PlacedOperation,
  resolveReference,
} from './api-document.ts'
import { escapeHtml } from './escape-html.ts'
import { createSampleRequest } from './sample-request.ts'

/** The server of an operation, as its page sees it. */
export interface OperationServer {
  /** Its top, relative to the page. */
  root: string
  hasDashboard: boolean
}

/**
 * Renders a form that sends a request of the operation to the server of the page. It needs a script, which shows it, see
 * try-request.ts. It has no headings, because the search must not find it in each page.
 */
export function tryForm(
  document: ApiDocument,
  placed: PlacedOperation,
  { root, hasDashboard }: OperationServer,
): string {
  const { path, method, operation } = placed
  const parameters = (operation.parameters ?? []).map(given => resolveReference<ApiParameter>(document, given))
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  const [type] = Object.keys(body?.content ?? {})
  const attributes = [
    `data-method="${method.toUpperCase()}"`,
    `data-path="${escapeHtml(path)}"`,
    `data-root="${escapeHtml(root)}"`,
    type === undefined ? '' : `data-type="${escapeHtml(type)}"`,
  ]
  const fields = parameters.map(parameter => parameterField(document, parameter))
  return `<details class="try" hidden><summary>Try it</summary>
<p>Sends the request to the server of this page. An exported copy has no server.</p>
<form ${attributes.join(' ')}>
<label>API key <span>never stored</span>
<input type="password" name="key" autocomplete="off" spellcheck="false"></label>
${hasDashboard ? toKeys(root) : ''}
${fields.join('\n')}
${body ? bodyField(document, placed) : ''}
<button class="send">Send ${method.toUpperCase()}</button>
</form>
<div data-part="answer" hidden>
<p role="status" class="status" data-part="status"></p>
${answerPart('Body', 'body', true)}
${answerPart('Headers', 'headers', false)}
${answerPart('As curl', 'curl', false)}
</div>
</details>`
}

function toKeys(root: string): string {
  const link = `<a href="${escapeHtml(root)}dashboard/?section=keys#generate" target="_blank" rel="noopener">Generate a key</a>`
  return `<p data-quire-export="remove">This page forgets the key when you leave it, because a stored key can be stolen. ${link} in another tab, and paste it here.</p>`
}

function parameterField(document: ApiDocument, { name, in: place, required, schema, example }: ApiParameter): string {
  const { enum: choices } = resolveReference<ApiSchema>(document, schema)
  const attributes = `name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}`
  const hint = example === undefined ? '' : ` placeholder="${escapeHtml(String(example))}"`
  const options = ['', ...(choices ?? [])].map(value => `<option>${escapeHtml(String(value))}</option>`)
  const field = choices
    ? `<select ${attributes}>${options.join('')}</select>`
    : `<input ${attributes}${hint} autocomplete="off">`
  return `<label><code>${escapeHtml(name)}</code> <span>${place}${required ? ', required' : ''}</span>\n${field}</label>`
}

function bodyField(document: ApiDocument, placed: PlacedOperation): string {
  const { body } = createSampleRequest(document, placed)
  const text = body === undefined ? '' : JSON.stringify(body, undefined, 2)
  const rows = Math.min(12, Math.max(4, text.split('\n').length))
  return `<label>Body\n<textarea name="body" data-in="body" rows="${rows}" spellcheck="false">\n${escapeHtml(text)}</textarea></label>`
}

function answerPart(name: string, part: string, isOpen: boolean): string {
  return `<details class="part"${isOpen ? ' open' : ''}><summary>${name}</summary><div class="code"><pre tabindex="0"><code data-part="${part}"></code></pre></div></details>`
}
