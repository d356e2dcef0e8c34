import type { ChangeId, Level } from '../../../scripts/spec-diff/rules.ts'
import { type Mutation, type Node, schema } from './mutations.ts'

/** An edit of a schema, and what it is in a request and in an answer. */
interface Edit {
  /** The id of the change without its direction. */
  fact: string
  from: object
  to: object
  request: Level
  response: Level
}

const narrower = { request: 'breaking', response: 'not breaking' } as const
const wider = { request: 'not breaking', response: 'breaking' } as const
const either = { request: 'breaking', response: 'breaking' } as const

const text = { type: 'string' }
const number = { type: 'number' }
const list = { type: 'array', items: text }
const open = { type: 'object', properties: { a: text } }
const closed = { ...open, additionalProperties: false }
const [first, second] = [{ const: 'a' }, { const: 'b' }]

const edits: Edit[] = [
  { fact: 'type-narrowed', from: { type: ['string', 'number'] }, to: text, ...narrower },
  { fact: 'type-narrowed', from: {}, to: text, ...narrower },
  { fact: 'type-widened', from: { type: 'integer' }, to: number, ...wider },
  { fact: 'type-widened', from: text, to: {}, ...wider },
  { fact: 'type-changed', from: text, to: number, ...either },
  { fact: 'null-refused', from: { type: ['string', 'null'] }, to: text, ...narrower },
  { fact: 'null-allowed', from: text, to: { type: ['string', 'null'] }, ...wider },
  { fact: 'enum-added', from: text, to: { ...text, enum: ['a'] }, ...narrower },
  { fact: 'enum-removed', from: { ...text, enum: ['a'] }, to: text, ...wider },
  { fact: 'enum-value-removed', from: { enum: ['a', 'b'] }, to: { const: 'a' }, ...narrower },
  { fact: 'enum-value-added', from: { const: 'a' }, to: { enum: ['a', null] }, ...wider },
  { fact: 'limit-tightened', from: text, to: { ...text, minLength: 1 }, ...narrower },
  { fact: 'limit-tightened', from: number, to: { ...number, exclusiveMaximum: 9 }, ...narrower },
  { fact: 'limit-tightened', from: { ...number, multipleOf: 2 }, to: { ...number, multipleOf: 3 }, ...narrower },
  { fact: 'limit-tightened', from: list, to: { ...list, uniqueItems: true }, ...narrower },
  { fact: 'limit-tightened', from: list, to: { ...list, items: { ...text, maxLength: 9 } }, ...narrower },
  { fact: 'limit-loosened', from: { ...number, minimum: 0 }, to: { ...number, minimum: -1 }, ...wider },
  { fact: 'limit-loosened', from: { ...list, maxItems: 9 }, to: list, ...wider },
  { fact: 'limit-loosened', from: { ...number, multipleOf: 6 }, to: { ...number, multipleOf: 3 }, ...wider },
  { fact: 'limit-loosened', from: { ...list, uniqueItems: true }, to: list, ...wider },
  { fact: 'pattern-added', from: text, to: { ...text, pattern: '^a' }, ...narrower },
  { fact: 'pattern-removed', from: { ...text, pattern: '^a' }, to: text, ...wider },
  { fact: 'pattern-changed', from: { ...text, pattern: '^a' }, to: { ...text, pattern: '^b' }, ...either },
  { fact: 'format-added', from: text, to: { ...text, format: 'uri' }, ...narrower },
  { fact: 'format-removed', from: { ...text, format: 'uri' }, to: text, ...wider },
  { fact: 'format-changed', from: { ...text, format: 'uri' }, to: { ...text, format: 'date' }, ...either },
  { fact: 'alternative-added', from: { oneOf: [first] }, to: { oneOf: [first, second] }, ...wider },
  { fact: 'alternative-removed', from: { oneOf: [first, second] }, to: { oneOf: [first] }, ...narrower },
  { fact: 'alternative-removed', from: {}, to: { anyOf: [first] }, ...narrower },
  { fact: 'alternative-added', from: { anyOf: [first] }, to: {}, ...wider },
  { fact: 'alternative-removed', from: { allOf: [text] }, to: { allOf: [text, first] }, ...narrower },
  { fact: 'alternative-added', from: { allOf: [text, first] }, to: { allOf: [text] }, ...wider },
  { fact: 'enum-value-added', from: { anyOf: [text, first] }, to: { anyOf: [text, { enum: ['a', 'c'] }] }, ...wider },
  { fact: 'object-closed', from: open, to: closed, ...narrower },
  { fact: 'object-opened', from: closed, to: open, request: 'not breaking', response: 'not breaking' },
  { fact: 'type-narrowed', from: open, to: { ...open, additionalProperties: text }, ...narrower },
  { fact: 'property-required', from: closed, to: { ...closed, required: ['a'] }, ...narrower },
  { fact: 'property-optional', from: { ...closed, required: ['a'] }, to: closed, ...wider },
  { fact: 'property-added', from: { type: 'object' }, to: open, request: 'not breaking', response: 'not breaking' },
  { fact: 'property-removed', from: open, to: { type: 'object' }, ...either },
  {
    fact: 'default-changed',
    from: text,
    to: { ...text, default: 'a' },
    request: 'breaking',
    response: 'documentation',
  },
]

/** Edits of the keywords of schemas, in both directions. */
export const keywordMutations: Mutation[] = edits.flatMap(({ fact, from, to, ...levels }) =>
  (['request', 'response'] as const).map(direction => {
    const name = direction === 'request' ? 'StartExport' : 'AgentJob'
    const put = (given: object) => (document: Node) => {
      schema(document, name).properties.probe = given
    }
    return {
      change: `${direction}: ${JSON.stringify(from)} to ${JSON.stringify(to)}`,
      level: levels[direction],
      ids: [`${direction}-${fact}` as ChangeId],
      prepare: put(from),
      mutate: put(to),
    }
  }),
)
