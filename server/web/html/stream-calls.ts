import { findAttribute, type Tag } from './html-scan.ts'
import { decodeRaw, type RawText } from './text-encoding.ts'

/** An instruction in an inline script that moves streamed content into its place. */
export interface StreamCall {
  /** A boundary has a fallback, and a segment only a placeholder. */
  kind: 'boundary' | 'segment'
  /** Id of the element that contains the content. */
  content: string
  /** Id of the template that marks the place. */
  target: string
  /** Style sheets that the content needs, as `[href, precedence, name, value, ...]`. */
  sheets: string[][]
  /** The range of the call in the page. */
  start: number
  end: number
}

/**
 * Matches `$RC("B:0","S:0")`, `$RR("B:0","S:0",[["/a.css","next"]])` and `$RS("S:1","P:1")`. Their arguments are JSON. The
 * definitions of these functions, and calls inside other functions, do not match.
 */
const callPattern = /(?<=^|[;}\s])\$R([CRS])\(("(?:[^"\\]|\\.)*"(?:[,\s[\]]|"(?:[^"\\]|\\.)*")*)\);?/g

/** Decides quickly whether a page may contain instructions. */
export function mayHaveStreamCalls(text: string): boolean {
  return text.includes('$RC("') || text.includes('$RR("') || text.includes('$RS("')
}

/** Reads the instructions in the content of a script element. */
export function readStreamCalls({ text, charset }: RawText, tag: Tag, start: number, end: number): StreamCall[] {
  if (!runs(text, tag)) return []
  const script = text.slice(start, end)
  if (!mayHaveStreamCalls(script)) return []
  return [...script.matchAll(callPattern)].flatMap(match => {
    const [call, name, source = ''] = match
    const values = parseArguments(decodeRaw(source, charset))
    const [first, second, sheets = []] = values
    if (typeof first !== 'string' || typeof second !== 'string' || !isSheetList(sheets)) return []
    const at = start + match.index
    const range = { start: at, end: at + call.length }
    const read: StreamCall =
      name === 'S'
        ? { kind: 'segment', content: first, target: second, sheets: [], ...range }
        : { kind: 'boundary', content: second, target: first, sheets, ...range }
    return [read]
  })
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
