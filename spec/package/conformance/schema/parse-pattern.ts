/** A part of a regular expression, as far as making texts needs it. */
export type PatternNode =
  | { kind: 'choice'; options: readonly PatternNode[] }
  | { kind: 'sequence'; parts: readonly PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number }
  | { kind: 'chars'; ranges: readonly Range[]; negated: boolean }

/** The first and the last code point. */
export type Range = readonly [first: number, last: number]

const spaces: Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
]
const digits: Range[] = [[0x30, 0x39]]
const words: Range[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const classes: Readonly<Record<string, Range[]>> = { s: spaces, d: digits, w: words }
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }

/**
 * Parses a regular expression. Anchors, word boundaries and lookaheads are dropped: a text that is made from the result must be tested
 * against the expression.
 *
 * @throws {Error} for syntax that it does not know
 */
export function parsePattern(pattern: string): PatternNode {
  const parser = { text: [...pattern], at: 0 }
  const node = parseChoice(parser)
  if (parser.at < parser.text.length) throw unknown(parser)
  return node
}

interface Parser {
  text: readonly string[]
  at: number
}

function parseChoice(parser: Parser): PatternNode {
  const options = [parseSequence(parser)]
  while (skip(parser, '|')) options.push(parseSequence(parser))
  return options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options }
}

function parseSequence(parser: Parser): PatternNode {
  const parts: PatternNode[] = []
  while (parser.at < parser.text.length && !looksAt(parser, '|') && !looksAt(parser, ')')) {
    const part = parsePart(parser)
    const repeated = parseRepeat(parser, part ?? { kind: 'sequence', parts: [] })
    if (part) parts.push(repeated)
  }
  return { kind: 'sequence', parts }
}

/** Returns undefined for a part that matches no characters. */
function parsePart(parser: Parser): PatternNode | undefined {
  if (skip(parser, '^') || skip(parser, '$')) return undefined
  if (skip(parser, '(')) {
    const isLookaround = skip(parser, '?=') || skip(parser, '?!') || skip(parser, '?<=') || skip(parser, '?<!')
    if (!isLookaround) skip(parser, '?:')
    const node = parseChoice(parser)
    if (!skip(parser, ')')) throw unknown(parser)
    return isLookaround ? undefined : node
  }
  if (skip(parser, '[')) return parseClass(parser)
  if (skip(parser, '.')) return { kind: 'chars', ranges: [[0x0a, 0x0a]], negated: true }
  if (skip(parser, '\\')) {
    if (skip(parser, 'b')) return undefined
    return parseEscape(parser)
  }
  if ('*+?{'.includes(parser.text[parser.at] ?? '*')) throw unknown(parser)
  return single(take(parser))
}

function parseRepeat(parser: Parser, part: PatternNode): PatternNode {
  if (skip(parser, '*')) return { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY }
  if (skip(parser, '+')) return { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY }
  if (skip(parser, '?')) return { kind: 'repeat', part, min: 0, max: 1 }
  if (!skip(parser, '{')) return part
  const end = parser.text.indexOf('}', parser.at)
  const [, min = '', comma, max = ''] = /^(\d+)(,?)(\d*)$/.exec(parser.text.slice(parser.at, end).join('')) ?? []
  if (min === '') throw unknown(parser)
  parser.at = end + 1
  const most = max === '' ? Number.POSITIVE_INFINITY : Number(max)
  return { kind: 'repeat', part, min: Number(min), max: comma ? most : Number(min) }
}

function parseClass(parser: Parser): PatternNode {
  const negated = skip(parser, '^')
  const ranges: Range[] = []
  while (!skip(parser, ']')) {
    const from = parseMember(parser)
    const [first] = from
    const isRange = from.length === 1 && first?.[0] === first?.[1] && looksAt(parser, '-') && !looksAt(parser, '-]')
    if (isRange && first) {
      take(parser)
      const [to] = parseMember(parser)
      ranges.push([first[0], to?.[0] ?? first[0]])
    } else ranges.push(...from)
  }
  return { kind: 'chars', ranges, negated }
}

function parseMember(parser: Parser): readonly Range[] {
  if (!skip(parser, '\\')) {
    const point = pointOf(take(parser))
    return [[point, point]]
  }
  const node = parseEscape(parser)
  if (node.kind !== 'chars' || node.negated) throw unknown(parser)
  return node.ranges
}

function parseEscape(parser: Parser): PatternNode {
  const char = take(parser)
  const named = classes[char.toLowerCase()]
  if (named) return { kind: 'chars', ranges: named, negated: char !== char.toLowerCase() }
  if (char === 'u') {
    const hex = parser.text.slice(parser.at, parser.at + 4).join('')
    parser.at += 4
    return single(String.fromCodePoint(Number.parseInt(hex, 16)))
  }
  const control = controls[char]
  if (control !== undefined) return single(String.fromCodePoint(control))
  if (/[a-z0-9]/i.test(char)) throw unknown(parser)
  return single(char)
}

function single(char: string): PatternNode {
  const point = pointOf(char)
  return { kind: 'chars', ranges: [[point, point]], negated: false }
}

function pointOf(char: string): number {
  return char.codePointAt(0) ?? 0
}

function take(parser: Parser): string {
  const char = parser.text[parser.at]
  if (char === undefined) throw unknown(parser)
  parser.at++
  return char
}

function looksAt(parser: Parser, text: string): boolean {
  return [...text].every((char, i) => parser.text[parser.at + i] === char)
}

function skip(parser: Parser, text: string): boolean {
  const found = looksAt(parser, text)
  if (found) parser.at += text.length
  return found
}

function unknown({ text, at }: Parser): Error {
  return new Error(`The conformance kit cannot read the pattern ${text.join('')} at character ${at + 1}.`)
}
