import { type ApiContent, type ApiDocument, type ApiSchema, resolveReference } from './api-document.ts'
import { escapeHtml } from './escape-html.ts'
import { type RenderMarkdown, schemaTree } from './schema-tree.ts'
import { wrapCode } from './scroll-box.ts'

interface ApiResponse extends ApiContent {
  description: string
  headers?: Record<string, { description?: string }>
}

/** Renders every answer with its fields, headers and examples. A script turns the sections into tabs. */
export function answerTabs(document: ApiDocument, responses: Record<string, object>, render: RenderMarkdown): string {
  const sections = Object.entries(responses).map(([status, given]) => {
    const response = resolveReference<ApiResponse>(document, given)
    const kind = /^[23]/.test(status) ? 'good' : 'bad'
    return `<section data-kind="${kind}"><h3 id="${escapeHtml(status)}">${escapeHtml(status)}</h3>
${render(response.description)}
${exampleList(document, response)}
${answerFields(document, response, kind === 'good', render)}
${headerList(document, response, render)}</section>`
  })
  return `<div class="tabs" data-tabs="Answers">\n${sections.join('\n')}\n</div>`
}

function answerFields(
  document: ApiDocument,
  { content = {} }: ApiContent,
  isOpen: boolean,
  render: RenderMarkdown,
): string {
  const schema = content['application/json']?.schema as ApiSchema | undefined
  const tree = schema ? schemaTree(document, schema, render) : ''
  return tree === '' ? '' : foldedPart('Fields', tree, isOpen)
}

function headerList(document: ApiDocument, { headers = {} }: ApiResponse, render: RenderMarkdown): string {
  const items = Object.entries(headers).map(([name, given]) => {
    const { description = '' } = resolveReference<{ description?: string }>(document, given)
    return `<li><code>${escapeHtml(name)}</code> ${renderInline(description, render)}</li>`
  })
  return items.length === 0 ? '' : foldedPart('Headers', `<ul>${items.join('')}</ul>`, false)
}

function foldedPart(name: string, html: string, isOpen: boolean): string {
  return `<details class="part"${isOpen ? ' open' : ''}><summary>${name}</summary>${html}</details>`
}

/** Renders the examples of every media type; only the first is open. Those of the types after the first name their type. */
export function exampleList(document: ApiDocument, { content = {} }: ApiContent): string {
  const examples = Object.entries(content).flatMap(([type, { examples = {} }], place) =>
    Object.entries(examples).map(([name, given]) => {
      const example = resolveReference<{ summary?: string; value: unknown }>(document, given)
      const suffix = place === 0 ? '' : ` <code>${escapeHtml(type)}</code>`
      const text = typeof example.value === 'string' ? example.value : JSON.stringify(example.value, undefined, 2)
      return { caption: `${escapeHtml(example.summary ?? name)}${suffix}`, code: wrapCode(text) }
    }),
  )
  const [only] = examples
  if (only && examples.length === 1) {
    return `<figure><figcaption>${only.caption}</figcaption>${only.code}</figure>`
  }
  const items = examples.map(
    ({ caption, code }, at) =>
      `<details class="sample"${at === 0 ? ' open' : ''}><summary>${caption}</summary>${code}</details>`,
  )
  return items.join('\n')
}

function renderInline(text: string, render: RenderMarkdown): string {
  return render(text).replaceAll(/^<p>|<\/p>\s*$/g, '')
}
