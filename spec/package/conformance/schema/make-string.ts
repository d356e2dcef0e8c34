import type { Random } from '../random.ts'
import { findFaults } from './check-value.ts'
import { type PatternNode, parsePattern, type Range } from './parse-pattern.ts'
import type { Schema } from './schema.ts'

const tries = 50
const parsed = new Map<string, PatternNode>()

/** Makes a valid string of a schema; an example of the schema if none is found. */
export function makeString(random: Random, schema: Schema): string {
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (pattern === undefined) {
    return makeText(random, Math.max(1, minLength), Math.min(maxLength, Math.max(minLength, 40)))
  }
  const node = parsed.get(pattern) ?? parsePattern(pattern)
  parsed.set(pattern, node)
  // The pattern may match within the text.
  const isOpen = !pattern.startsWith('^') && !pattern.endsWith('$')
  for (let count = 0; count < tries; count++) {
    // Now and then a long one, up to the limits of the schema.
    const made = sample(random, node, random.chance(0.05) ? 300 : 8)
    const text = isOpen ? makeText(random, 0, 20) + made + makeText(random, 0, 20) : made
    if (findFaults(schema, text).length === 0) return text
  }
  return String(random.pick(schema.examples ?? ['']))
}

/** Characters with which servers have had trouble, beside the usual ones. */
const odd = [
  '\u0000',
  '\t',
  '%',
  '/',
  '?',
  '#',
  '&',
  '=',
  '+',
  '"',
  "'",
  '<',
  '\\',
  'é',
  'ß',
  '日',
  '📚',
  '\u202e',
  ';',
]

/** Makes a text of letters, digits and characters with which servers have had trouble. */
export function makeText(random: Random, minLength: number, maxLength: number): string {
  const length = random.int(minLength, maxLength)
  return Array.from({ length }, () =>
    random.chance(0.2) ? random.pick(odd) : String.fromCodePoint(random.int(0x20, 0x7e)),
  ).join('')
}

function sample(random: Random, node: PatternNode, most: number): string {
  switch (node.kind) {
    case 'choice':
      return sample(random, random.pick(node.options), most)
    case 'sequence':
      return node.parts.map(part => sample(random, part, most)).join('')
    case 'repeat': {
      const length = random.int(node.min, Math.max(node.min, Math.min(node.max, most)))
      return Array.from({ length }, () => sample(random, node.part, Math.min(most, 8))).join('')
    }
    case 'chars':
      return node.negated ? sampleOutside(random, node.ranges) : sampleRange(random, random.pick(node.ranges))
  }
}

function sampleRange(random: Random, [first, last]: Range): string {
  return String.fromCodePoint(random.int(first, last))
}

function sampleOutside(random: Random, ranges: readonly Range[]): string {
  for (;;) {
    const char = random.chance(0.9) ? sampleRange(random, [0x20, 0x7e]) : random.pick(odd)
    const point = char.codePointAt(0) ?? 0
    if (!ranges.some(([first, last]) => point >= first && point <= last)) return char
  }
}
