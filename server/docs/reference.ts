import {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  type ApiSchema,
  type PlacedOperation,
  resolveReference,
} from './api-document.ts'
import { writeCurlSample } from './curl-sample.ts'
import { escapeHtml } from './escape-html.ts'
import { writePythonSample } from './python-sample.ts'
import { createSampleRequest } from './sample-request.ts'
import { wrapCode } from './scroll-box.ts'
import { writeTypeScriptSample } from './typescript-sample.ts'

type RenderMarkdown = (text: string) => string

interface ApiResponse extends ApiContent {
  description: string
  headers?: Record<string, { description?: string }>
}

/** Renders the reference page of an operation: samples, its parameters and body, and every response with examples. */
export function operationPage(document: ApiDocument, placed: PlacedOperation, renderMarkdown: RenderMarkdown): string {
  const { path, method, operation } = placed
  const parameters = (operation.parameters ?? []).map(given => resolveReference<ApiParameter>(document, given))
  const body = operation.requestBody && resolveReference<ApiContent>(document, operation.requestBody)
  const sections = [
    `<h1>${breakName(operation.operationId)}</h1>`,
    `<p class="route"><code>${method.toUpperCase()} ${breakPath(path)}</code></p>`,
    renderMarkdown(operation.description ?? operation.summary ?? ''),
    renderMarkdown(scopeSentence(operation)),
    `<h2 id="request">Request</h2>${sampleList(document, placed)}`,
    parameters.length > 0
      ? `<h2 id="parameters">Parameters</h2>${parameterList(document, parameters, renderMarkdown)}`
      : '',
    body ? `<h2 id="request-body">Request body</h2>${bodyFields(document, body, renderMarkdown)}` : '',
    '<h2 id="answers">Answers</h2>',
    ...Object.entries(operation.responses).map(([status, given]) =>
      answerSection(document, status, resolveReference<ApiResponse>(document, given), renderMarkdown),
    ),
  ]
  return sections.join('\n')
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
  return fieldList(document, resolveReference<ApiSchema>(document, schema), renderMarkdown)
}

/** Renders the samples without a script: the elements share a name, so the browser keeps one of them open. */
function sampleList(document: ApiDocument, placed: PlacedOperation): string {
  const items = writeSamples(document, placed).map(
    ({ language, text }, index) =>
      `<details class="sample" name="sample"${index === 0 ? ' open' : ''}><summary>${language}</summary>${wrapCode(text)}</details>`,
  )
  return items.join('\n')
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
    const fields = schema.properties ? fieldList(document, schema, renderMarkdown) : ''
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

function answerSection(
  document: ApiDocument,
  status: string,
  response: ApiResponse,
  renderMarkdown: RenderMarkdown,
): string {
  const headers = Object.entries(response.headers ?? {}).map(([name, given]) => {
    const { description = '' } = resolveReference<{ description?: string }>(document, given)
    return `<li><code>${escapeHtml(name)}</code> ${renderInline(description, renderMarkdown)}</li>`
  })
  return [
    `<h3 id="${escapeHtml(status)}">${escapeHtml(status)}</h3>`,
    renderMarkdown(response.description),
    headers.length > 0 ? `<ul>${headers.join('')}</ul>` : '',
    exampleList(document, response),
  ].join('\n')
}

/** Renders the examples of every media type. Those of the types after the first name their type. */
function exampleList(document: ApiDocument, { content = {} }: ApiContent): string {
  const figures = Object.entries(content).flatMap(([type, { examples = {} }], place) =>
    Object.entries(examples).map(([name, given]) => {
      const example = resolveReference<{ summary?: string; value: unknown }>(document, given)
      const suffix = place === 0 ? '' : ` <code>${escapeHtml(type)}</code>`
      const caption = `<figcaption>${escapeHtml(example.summary ?? name)}${suffix}</figcaption>`
      const text = typeof example.value === 'string' ? example.value : JSON.stringify(example.value, undefined, 2)
      return `<figure>${caption}${wrapCode(text)}</figure>`
    }),
  )
  return figures.join('\n')
}

function parameterList(
  document: ApiDocument,
  parameters: readonly ApiParameter[],
  renderMarkdown: RenderMarkdown,
): string {
  return definitionList(
    parameters.map(({ name, in: place, required = false, description = '', schema }) => ({
      name,
      facts: [`in ${place}`, required ? 'required' : 'optional'],
      type: typeOf(document, schema),
      meaning: renderMarkdown(description),
    })),
  )
}

function fieldList(document: ApiDocument, schema: ApiSchema, renderMarkdown: RenderMarkdown): string {
  return definitionList(listFields(document, schema, renderMarkdown))
}

/** Lists the fields with those of the objects inside, such as `source.ref`. Objects with a name are on the page of the schemas. */
function listFields(document: ApiDocument, schema: ApiSchema, renderMarkdown: RenderMarkdown, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, given]) => {
    const name = prefix + key
    const field = {
      name,
      facts: [schema.required?.includes(key) ? 'required' : 'optional'],
      type: typeOf(document, given),
      meaning: renderMarkdown(resolveReference<ApiSchema>(document, given).description ?? ''),
    }
    const inner = given.items ? listFields(document, given.items, renderMarkdown, `${name}[].`) : []
    return [field, ...listFields(document, given, renderMarkdown, `${name}.`), ...inner]
  })
}

interface Field {
  name: string
  facts: string[]
  type: string
  meaning: string
}

/** Renders a list, because a fourth column of a table would be out of view on small screens. */
function definitionList(items: readonly Field[]): string {
  const written = items.map(
    ({ name, facts, type, meaning }) =>
      `<dt><code>${escapeHtml(name)}</code> <span>${facts.join(', ')}</span> <span class="type">${escapeHtml(type)}</span></dt><dd>${meaning}</dd>`,
  )
  return `<dl>${written.join('\n')}</dl>`
}

/** Allows a line break before each capital letter. */
function breakName(name: string): string {
  return escapeHtml(name).replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>')
}

/** Allows a line break after each slash. */
function breakPath(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

function renderInline(text: string, renderMarkdown: RenderMarkdown): string {
  return renderMarkdown(text).replaceAll(/^<p>|<\/p>\s*$/g, '')
}

function typeOf(document: ApiDocument, given: ApiSchema): string {
  const schema = resolveReference<ApiSchema>(document, given)
  const fallback = schema.default === undefined ? '' : ` = ${JSON.stringify(schema.default)}`
  if (schema.enum) return `${schema.enum.map(value => JSON.stringify(value)).join(' | ')}${fallback}`
  const type = [schema.type ?? 'any'].flat().join(' | ')
  if (schema.items) return `${type} of ${typeOf(document, schema.items)}`
  return `${type}${schema.format ? ` (${schema.format})` : ''}${fallback}`
}
