import type { ApiDocument, ApiOperation, ApiSchema } from './api-document.ts'

type RenderMarkdown = (text: string) => string

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: ApiSchema
}

interface Content {
  content?: Record<string, { schema: ApiSchema; examples?: Record<string, { summary?: string; value: unknown }> }>
}

interface ResponseObject extends Content {
  description: string
  headers?: Record<string, { description?: string }>
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The reference page of one operation: what it takes, and every answer with its examples. */
export function operationPage(
  document: ApiDocument,
  { path, method, operation }: { path: string; method: string; operation: ApiOperation },
  renderMarkdown: RenderMarkdown,
): string {
  const parameters = (operation.parameters ?? []).map(parameter => resolve<Parameter>(document, parameter))
  const body = operation.requestBody && resolve<Content>(document, operation.requestBody)
  const bodySchema = body?.content?.['application/json']?.schema
  const sections = [
    `<h1>${escapeHtml(operation.operationId)}</h1>`,
    `<p class="route"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></p>`,
    renderMarkdown(operation.description ?? operation.summary ?? ''),
    parameters.length > 0 ? `<h2>Parameters</h2>${parameterTable(document, parameters, renderMarkdown)}` : '',
    bodySchema
      ? `<h2>Request body</h2>${fieldTable(document, resolve<ApiSchema>(document, bodySchema), renderMarkdown)}`
      : '',
    '<h2>Answers</h2>',
    ...Object.entries(operation.responses).map(([status, given]) =>
      answerSection(document, status, resolve<ResponseObject>(document, given), renderMarkdown),
    ),
  ]
  return sections.join('\n')
}

/** Every schema of the document, with its fields. */
export function schemasPage(document: ApiDocument, renderMarkdown: RenderMarkdown): string {
  const sections = Object.entries(document.components.schemas).map(([name, schema]) => {
    const fields = schema.properties ? fieldTable(document, schema, renderMarkdown) : ''
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>${renderMarkdown(schema.description ?? '')}${fields}`
  })
  return `<h1>Schemas</h1>\n${sections.join('\n')}`
}

function answerSection(
  document: ApiDocument,
  status: string,
  response: ResponseObject,
  renderMarkdown: RenderMarkdown,
): string {
  const examples = Object.values(response.content ?? {}).flatMap(({ examples }) => Object.entries(examples ?? {}))
  const headers = Object.entries(response.headers ?? {}).map(([name, given]) => {
    const { description = '' } = resolve<{ description?: string }>(document, given)
    return `<li><code>${escapeHtml(name)}</code> ${renderInline(description, renderMarkdown)}</li>`
  })
  return [
    `<h3>${escapeHtml(status)}</h3>`,
    renderMarkdown(response.description),
    headers.length > 0 ? `<ul>${headers.join('')}</ul>` : '',
    ...examples.map(([name, given]) => {
      const example = resolve<{ summary?: string; value: unknown }>(document, given)
      const caption = `<figcaption>${escapeHtml(example.summary ?? name)}</figcaption>`
      return `<figure>${caption}<pre><code>${escapeHtml(JSON.stringify(example.value, undefined, 2))}</code></pre></figure>`
    }),
  ].join('\n')
}

function parameterTable(
  document: ApiDocument,
  parameters: readonly Parameter[],
  renderMarkdown: RenderMarkdown,
): string {
  const rows = parameters.map(({ name, in: place, required = false, description = '', schema }) =>
    row([`${name} (${place})`, typeOf(document, schema), required ? 'yes' : 'no'], renderMarkdown(description)),
  )
  return table(['Name', 'Type', 'Required', 'Meaning'], rows)
}

function fieldTable(document: ApiDocument, schema: ApiSchema, renderMarkdown: RenderMarkdown): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const property = resolve<ApiSchema>(document, given)
    const required = schema.required?.includes(name) ? 'yes' : 'no'
    return row([name, typeOf(document, given), required], renderMarkdown(property.description ?? ''))
  })
  return table(['Field', 'Type', 'Required', 'Meaning'], rows)
}

function table(headings: readonly string[], rows: readonly string[]): string {
  const head = headings.map(heading => `<th scope="col">${heading}</th>`).join('')
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function row(cells: readonly string[], meaning: string): string {
  return `<tr>${cells.map(cell => `<td><code>${escapeHtml(cell)}</code></td>`).join('')}<td>${meaning}</td></tr>`
}

function renderInline(text: string, renderMarkdown: RenderMarkdown): string {
  return renderMarkdown(text).replaceAll(/^<p>|<\/p>\s*$/g, '')
}

function typeOf(document: ApiDocument, given: ApiSchema): string {
  const schema = resolve<ApiSchema>(document, given)
  const fallback = schema.default === undefined ? '' : ` = ${JSON.stringify(schema.default)}`
  if (schema.enum) return `${schema.enum.map(value => JSON.stringify(value)).join(' | ')}${fallback}`
  const type = [schema.type ?? 'any'].flat().join(' | ')
  if (schema.items) return `${type} of ${typeOf(document, schema.items)}`
  return `${type}${schema.format ? ` (${schema.format})` : ''}${fallback}`
}

function resolve<T>(document: ApiDocument, value: object): T {
  const { $ref } = value as { $ref?: string }
  if ($ref === undefined) return value as T
  const steps = $ref.slice(2).split('/')
  const target = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document)
  return resolve(document, target as object)
}
