import { answerTabs, exampleList } from './answers.ts'
import {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  listOperations,
  type PlacedOperation,
  resolveReference,
} from './api-document.ts'
import { writeCurlSample } from './curl-sample.ts'
import { escapeHtml } from './escape-html.ts'
import { writePythonSample } from './python-sample.ts'
import { createSampleRequest } from './sample-request.ts'
import { fieldHead, limits, type RenderMarkdown, schemaTree, typeOf } from './schema-tree.ts'
import { wrapCode } from './scroll-box.ts'
import { type OperationServer, tryForm } from './try-form.ts'
import { writeTypeScriptSample } from './typescript-sample.ts'

/**
 * Renders the reference page of an operation: its parameters and body beside samples, a form to try it, and every answer. On small
 * screens, they are below each other.
 */
export function operationPage(
  document: ApiDocument,
  placed: PlacedOperation,
  renderMarkdown: RenderMarkdown,
  server: OperationServer,
): string {
  const { path, method, operation } = placed
  const parameters = (operation.parameters ?? []).map(given => resolveReference<ApiParameter>(document, given))
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  const about = [
    `<h1>${breakName(operation.operationId)}</h1>`,
    `<p class="route">${methodBadge(method)} <code>${breakPath(path)}</code></p>`,
    '<div class="columns">\n<div>',
    renderMarkdown(operation.description ?? operation.summary ?? ''),
    renderMarkdown(scopeSentence(operation)),
    parameters.length > 0
      ? `<h2 id="parameters">Parameters</h2>${parameterList(document, parameters, renderMarkdown)}`
      : '',
    body ? `<h2 id="request-body">Request body</h2>${bodyFields(document, body, renderMarkdown)}` : '',
    '</div>\n<div>',
    `<h2 id="request">Request</h2>${sampleList(document, placed)}`,
    path.includes('{projectId}') ? renderMarkdown(aboutProjectId) : '',
    tryForm(document, placed, server),
    `<h2 id="answers">Answers</h2>${answerTabs(document, operation.responses, renderMarkdown)}`,
    '</div>\n</div>',
  ]
  return about.join('\n')
}

/** Renders the page that lists every operation, with a field that filters them by words. */
export function referencePage(
  groups: readonly { title: string; folder: string; document: ApiDocument }[],
  renderMarkdown: RenderMarkdown,
): string {
  const lists = groups.map(({ title, folder, document }) => {
    const items = listOperations(document).map(({ path, method, operation: { operationId, summary = '' } }) => {
      const link = `<a href="${folder}/${operationId}">${breakName(operationId)}</a>`
      return `<li>${methodBadge(method)} <span>${link} <span class="summary">${escapeHtml(summary)}</span><br><code>${breakPath(path)}</code></span></li>`
    })
    return `<h2 id="${folder}">${title}</h2>\n<ul class="operations">\n${items.join('\n')}\n</ul>`
  })
  return `<h1>API reference</h1>
${renderMarkdown(aboutReference)}
<p class="filter" hidden><label for="filter">Filter</label> <input id="filter" type="search" data-filter autocomplete="off"> <span role="status" data-filtered></span></p>
${lists.join('\n')}`
}

const aboutReference = `Each operation has its parameters, samples in curl, TypeScript and Python, and every answer with examples. Where a server serves these
pages, a form sends a request to it. Send the API key as \`Authorization: Bearer KEY\`. The server has the documents at
\`/openapi.json\` and \`/quire/v1/openapi.json\`. All fields are in <a href="schemas">Schemas</a>, all errors in <a href="errors">Errors</a>.`

function methodBadge(method: string): string {
  return `<span class="method ${method}">${method.toUpperCase()}</span>`
}

/** Names the scopes that a key needs; empty when the document does not name them. */
function scopeSentence({ security = [] }: ApiOperation): string {
  const scopes = security.flatMap(each => Object.values(each).flat())
  if (scopes.length === 0) return ''
  const included = scopes.includes('write') ? '' : ', or `write`, which includes it'
  return `The API key needs the scope ${scopes.map(scope => `\`${scope}\``).join(' and ')}${included}.`
}

/** Renders the fields of a JSON body; of a body that is a file, examples. */
function bodyFields(document: ApiDocument, body: ApiContent, renderMarkdown: RenderMarkdown): string {
  if (body['x-raw-body']) return exampleList(document, body)
  const schema = body.content?.['application/json']?.schema ?? {}
  return schemaTree(document, schema, renderMarkdown)
}

const aboutProjectId =
  'Replace the project id in the path by yours: `npx quire projects list` prints it, and the page API keys of the dashboard shows it.'

/** Renders the samples. A script turns them into tabs; without it, the browser keeps one of them open. */
function sampleList(document: ApiDocument, placed: PlacedOperation): string {
  const items = writeSamples(document, placed).map(
    ({ language, text }, index) =>
      `<details class="sample" name="sample"${index === 0 ? ' open' : ''}><summary>${language}</summary>${wrapCode(text)}</details>`,
  )
  return `<div class="tabs" data-tabs="Samples">\n${items.join('\n')}\n</div>`
}

/** A request that a reader can paste. */
export interface Sample {
  language: 'curl' | 'TypeScript' | 'Python'
  text: string
}

/** Writes samples of an operation. They are made of the examples in the document, so that they cannot become outdated. */
export function writeSamples(document: ApiDocument, placed: PlacedOperation): Sample[] {
  const request = createSampleRequest(document, placed)
  const curl: Sample = { language: 'curl', text: writeCurlSample(request) }
  const python: Sample = { language: 'Python', text: writePythonSample(request) }
  return [curl, { language: 'TypeScript', text: writeTypeScriptSample(request) }, python]
}

/** Renders every schema of the document with its fields, without those that the page of another document shows. */
export function schemasPage(
  title: string,
  document: ApiDocument,
  renderMarkdown: RenderMarkdown,
  shown: ApiDocument['components']['schemas'] = {},
): string {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !(name in shown))
  const sections = schemas.map(([name, schema]) => {
    const fields = schemaTree(document, schema, renderMarkdown)
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>${renderMarkdown(schema.description ?? '')}${fields}`
  })
  return `<h1>${title}</h1>\n${sections.join('\n')}`
}

/** Renders the codes of errors and of faults, each with an anchor of its name. */
export function errorsPage(document: ApiDocument, renderMarkdown: RenderMarkdown): string {
  const list = (schema: string) => {
    const codes = Object.entries(document.components.schemas[schema]?.['x-codes'] ?? {})
    const items = codes.map(([code, { statuses = [], cause, remedy }]) => {
      const facts = statuses.length > 0 ? ` <span>${statuses.join(', ')}</span>` : ''
      return `<dt id="${escapeHtml(code)}"><code>${escapeHtml(code)}</code>${facts}</dt><dd>${renderMarkdown(`${cause}. ${remedy}`)}</dd>`
    })
    return `<dl>${items.join('\n')}</dl>`
  }
  return `<h1>Errors</h1>
${renderMarkdown(aboutErrors)}
<h2 id="codes">Codes</h2>
${list('ErrorCode')}
<h2 id="faults">Codes of a field</h2>
${list('FaultCode')}`
}

const aboutErrors = `Every error is JSON with a sentence for people in \`error\`, a name for programs in \`code\`, and the \`requestId\`,
which is also the header \`X-Request-Id\`. The sentence may change; the code does not. A request that breaks the document gets
\`invalid_request\`, and \`details\` has each fault with its \`field\` and \`code\`.

With \`Accept: application/problem+json\`, an error has the same facts as a problem of RFC 9457. Its \`type\` leads to the code on this
page:

\`\`\`sh
curl -H 'Accept: application/problem+json' \\
  http://127.0.0.1:8787/v1/static-export/jobs/se_0f3c9a1b2d4e5f60
\`\`\`

Give the \`requestId\` to the operator of the server, who finds the lines of the request in its log by it. The mock answers with the same
codes, also in its examples.`

function parameterList(
  document: ApiDocument,
  parameters: readonly ApiParameter[],
  renderMarkdown: RenderMarkdown,
): string {
  const items = parameters.map(({ name, in: place, required = false, description = '', schema }) => {
    const facts = [`in ${place}`, ...(required ? ['required'] : [])]
    return `<li>${fieldHead(name, typeOf(document, schema), facts)}<div>${renderMarkdown(description)}${limits(resolveReference(document, schema))}</div></li>`
  })
  return `<ul class="tree">\n${items.join('\n')}\n</ul>`
}

/** Allows a line break before each capital letter. */
function breakName(name: string): string {
  return escapeHtml(name).replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>')
}

/** Allows a line break after each slash. */
function breakPath(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}
