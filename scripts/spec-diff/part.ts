import type { Changes } from './change.ts'
import type { ChangeId } from './rules.ts'

/** An object of the document. */
export type Part = Record<string, unknown>

/** What the comparers share while they go through one operation. */
export interface Walk {
  before: Part
  after: Part
  changes: Changes
  /** The operationId; undefined outside of operations. */
  operation?: string
}

/** The same part of both documents. */
export interface Pair {
  before: Part
  after: Part
  place: string
}

export function report({ changes, operation }: Walk, id: ChangeId, place: string, text: string): void {
  changes.add(id, { place, text, operation })
}

/**
 * Follows the references of both parts. If they name a component, that is the place of their changes. `names` are both components;
 * undefined if one part is no reference.
 */
export function followReferences(walk: Walk, { before, after, place }: Pair): Pair & { names: string | undefined } {
  const from = follow(walk.before, before)
  const to = follow(walk.after, after)
  const names = from.name && to.name && `${from.name}, ${to.name}`
  return { before: from.part, after: to.part, place: to.name ?? place, names }
}

/** Follows `$ref`, however many there are in a row. Fields beside it win, as in OpenAPI 3.1. */
export function follow(document: Part, part: Part): { part: Part; name: string | undefined } {
  const { $ref, ...beside } = part
  if (typeof $ref !== 'string') return { part, name: undefined }
  const steps = $ref.slice('#/'.length).split('/')
  const names = steps.map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = names.reduce<unknown>((node, name) => (node as Part | undefined)?.[name], document)
  if (target === undefined) throw new Error(`The document has nothing at ${$ref}.`)
  const [, kind = '', name = ''] = names
  const own = `${singular[kind] ?? kind} ${name}`
  const further = follow(document, target as Part)
  return { part: { ...further.part, ...beside }, name: further.name ?? own }
}

const singular: Readonly<Record<string, string>> = {
  schemas: 'schema',
  parameters: 'parameter',
  responses: 'response',
  headers: 'header',
  requestBodies: 'request body',
  examples: 'example',
  links: 'link',
}

/** Returns whether two values are the same, whatever the order of their fields. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, node: unknown) =>
    node !== null && typeof node === 'object' && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)))
      : node,
  )
}

/** Writes a value for a message. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** Returns the member as an object; empty when it is missing. */
export function member(part: Part, name: string): Part {
  return (part[name] ?? {}) as Part
}

/** Returns the names of both objects, those of the first one first. */
export function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

const texts = [
  'description',
  'summary',
  'title',
  'externalDocs',
  '$comment',
  'termsOfService',
  'contact',
  'license',
  'bearerFormat',
  'x-decision',
]

/**
 * Compares the fields that no client depends on, and reports any difference in a field that `known` does not list, because nobody
 * has judged it.
 */
export function compareRest(walk: Walk, { before, after, place }: Pair, known: readonly string[]): void {
  for (const name of namesOf(before, after)) {
    if (known.includes(name)) continue
    const isExample = name === 'example' || name === 'examples'
    // A reference to an example may stay the same while the example changes.
    const from = isExample ? expand(walk.before, before[name]) : before[name]
    const to = isExample ? expand(walk.after, after[name]) : after[name]
    if (!isSame(from, to)) report(walk, judgeField(name), place, `${name} changed.`)
  }
}

function judgeField(name: string): ChangeId {
  if (texts.includes(name)) return 'text-changed'
  if (name === 'example' || name === 'examples') return 'example-changed'
  return name.startsWith('x-') ? 'extension-changed' : 'other-changed'
}

/** Replaces references to examples by the examples. */
function expand(document: Part, given: unknown): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, example]) => [
      name,
      example !== null && typeof example === 'object' ? follow(document, example as Part).part : example,
    ]),
  )
}
