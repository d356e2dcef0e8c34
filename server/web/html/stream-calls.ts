import { findAttribute, type Tag } from './html-scan.ts'
import { decodeRaw, type RawText } from './text-encoding.ts'

/** An instruction in an inline script that moves streamed content into its place. */
export interface StreamCall {
  /**
   * A boundary of React has a fallback, and a segment only a placeholder. The content of a fragment of Solid is in a template.
   */
  kind: 'boundary' | 'segment' | 'fragment'
  /** Id of the element that contains the content. */
  content: string
  /** Id of the template that marks the place. */
  target: string
  /** Style sheets that the content needs, as `[href, precedence, name, value, ...]`. */
  sheets: string[][]
  /** What remains to be run when the content is in its place. */
  rest: string
  /** The range of the call in the page. */
  start: number
  end: number
}

/**
 * Matches `$RC("B:0","S:0")`, `$RR("B:0","S:0",[["/a.css","next"]])`, `$RS("S:1","P:1")` and `$df("210")`. Their arguments
 * are JSON. The definitions of these functions, and calls inside other functions, do not match.
 */
const callPattern = /(?<=^|[;}\s])\$(R[CRS]|df)\(("(?:[^"\\]|\\.)*"(?:[,\s[\]]|"(?:[^"\\]|\\.)*")*)\);?/g

/** Decides quickly whether a page may contain instructions. */
export function mayHaveStreamCalls(text: string): boolean {
  return ['$RC("', '$RR("', '$RS("', '$df("'].some(call => text.includes(call))
}

/** Reads the instructions in the content of a script element. */
export function readStreamCalls({ text, charset }: RawText, tag: Tag, start: number, end: number): StreamCall[] {
  if (!runs(text, tag)) return []
  const script = text.slice(start, end)
  if (!mayHaveStreamCalls(script)) return []
  return [...script.matchAll(callPattern)].flatMap(match => {
    const [text, name = '', source = ''] = match
    const at = start + match.index
    const call = toCall(name, parseArguments(decodeRaw(source, charset)))
    return call ? [{ ...call, start: at, end: at + text.length }] : []
  })
}

/** Returns the instruction of a function and its arguments; null when they are wrong. */
function toCall(
  name: string,
  [first, second, sheets = []]: readonly unknown[],
): Omit<StreamCall, 'start' | 'end'> | null {
  if (typeof first !== 'string') return null
  if (name === 'df') {
    const rest = `_$HY.fe(${JSON.stringify(first)});`
    return { kind: 'fragment', content: first, target: `pl-${first}`, sheets: [], rest }
  }
  if (typeof second !== 'string' || !isSheetList(sheets)) return null
  if (name === 'RS') return { kind: 'segment', content: first, target: second, sheets: [], rest: '' }
  return { kind: 'boundary', content: second, target: first, sheets, rest: '' }
}

/** Decides whether a script element contains a program that a browser runs. */
function runs(text: string, tag: Tag): boolean {
  const type = findAttribute(tag, 'type')
  if (findAttribute(tag, 'src')) return false
  return !type || /^\s*(?:module|(?:text|application)\/javascript)?\s*$/i.test(text.slice(type.start, type.end))
}

function parseArguments(source: string): unknown[] {
  try {
    return JSON.parse(`[${source}]`) as unknown[]
  } catch {
    return []
  }
}

function isSheetList(value: unknown): value is string[][] {
  const isStrings = (item: unknown) => Array.isArray(item) && item.every(part => typeof part === 'string')
  return Array.isArray(value) && value.every(isStrings)
}
