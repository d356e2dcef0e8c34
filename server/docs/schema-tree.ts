import { type ApiDocument, type ApiSchema, resolveReference } from './api-document.ts'
import { escapeHtml } from './escape-html.ts'

export type RenderMarkdown = (text: string) => string

/** How many levels of fields are shown. A schema may contain itself. */
const maxDepth = 6

/** Renders the fields of a schema as a tree; '' if it has none. Fields with fields inside open and close without a script. */
export function schemaTree(document: ApiDocument, given: ApiSchema, render: RenderMarkdown, depth = 0): string {
  const schema = expandSchema(document, given)
  const items = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const known = expandSchema(document, field)
    const type = typeOf(document, field)
    const facts = schema.required?.includes(name) ? ['required'] : []
    const meaning = `<div>${render(known.description ?? '')}${limits(known)}</div>`
    const inner = depth < maxDepth ? schemaTree(document, known.items ?? known, render, depth + 1) : ''
    return inner === ''
      ? `<li>${fieldHead(name, type, facts)}${meaning}</li>`
      : `<li><details open>${fieldHead(name, type, facts, 'summary')}${meaning}${inner}</details></li>`
  })
  return items.length > 0 ? `<ul class="tree">\n${items.join('\n')}\n</ul>` : ''
}

/** Renders the name, the type and the facts of a field or a parameter. */
export function fieldHead(name: string, type: string, facts: readonly string[], tag = 'p'): string {
  const spans = facts.map(fact => `<span${fact === 'required' ? ' class="required"' : ''}>${fact}</span>`)
  const shownType = `<span class="type">${escapeHtml(type)}</span>`
  return `<${tag} class="field"><code>${escapeHtml(name)}</code> ${[shownType, ...spans].join(' ')}</${tag}>`
}

/** Follows references, and joins the schemas of `allOf`. */
function expandSchema(document: ApiDocument, given: ApiSchema): ApiSchema {
  const schema = resolveReference<ApiSchema>(document, given)
  if (!schema.allOf) return schema
  const parts = [...schema.allOf.map(part => expandSchema(document, part)), schema]
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  })
}

/** Names the default and the bounds of a value; '' if it has none. */
export function limits(given: ApiSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = given
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (most === undefined) return least === undefined || least < 2 ? [] : [`at least ${least}${unit}`]
    return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`]
  }
  const texts = [
    ...(given.default === undefined ? [] : [`default <code>${escapeHtml(JSON.stringify(given.default))}</code>`]),
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(pattern === undefined ? [] : [`pattern <code>${escapeHtml(pattern)}</code>`]),
  ]
  return texts.length > 0 ? `<p class="limits">${texts.join(', ')}</p>` : ''
}

/** Names the type of a value, with its choices. */
export function typeOf(document: ApiDocument, given: ApiSchema): string {
  const schema = resolveReference<ApiSchema>(document, given)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  const type = [schema.type ?? 'any'].flat().join(' | ')
  if (schema.items) return `${type} of ${typeOf(document, schema.items)}`
  return schema.format ? `${type} (${schema.format})` : type
}
