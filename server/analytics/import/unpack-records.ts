import { maxLineBytes } from './line-reader.ts'

const lineFeed = Buffer.from('\n')
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** The brackets around the records of a JSON array, and around the log records of OTLP: `resourceLogs`, `scopeLogs`, `logRecords`. */
const arrayPath = Buffer.from('[')
const otlpPath = Buffer.from('{[{[{[')
/** The brackets around the records of Azure Monitor, as an Event Hub has them: `records`. */
const recordsPath = Buffer.from('{[')

/** Bytes that decide whether a text is JSON with several records. White space before them is skipped. */
const headBytes = 64
const arrayHead = /^\[\s*(?:[{"\]]|$)/
const otlpHead = /^\{\s*"resourceLogs"\s*:/
const recordsHead = /^\{\s*"records"\s*:\s*\[/

const paths = [
  [arrayHead, arrayPath],
  [otlpHead, otlpPath],
  [recordsHead, recordsPath],
] as const

/**
 * Turns a JSON array of records, the `records` of Azure Monitor, or the log records of OTLP in JSON, into lines with one record each. A record that is a string is
 * its text. Every other text passes unchanged.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export class RecordUnpacker {
  readonly #onBytes: (bytes: Buffer) => void
  /** The first bytes, until they decide. */
  #head: Buffer | undefined = Buffer.alloc(0)
  #splitter: ElementSplitter | undefined

  /** @param onBytes receives the bytes of the lines; they are valid only during the call */
  constructor(onBytes: (bytes: Buffer) => void) {
    this.#onBytes = onBytes
  }

  push(chunk: Buffer): void {
    if (this.#head) {
      this.#head = Buffer.concat([this.#head, chunk])
      const start = findText(this.#head)
      if (this.#head.length - start >= headBytes) this.#begin(start)
    } else if (this.#splitter) this.#splitter.push(chunk)
    else this.#onBytes(chunk)
  }

  /** Returns what is wrong with the JSON; undefined when it is complete, or a text. */
  end(): string | undefined {
    if (this.#head) this.#begin(findText(this.#head))
    return this.#splitter?.end()
  }

  #begin(start: number): void {
    const head = this.#head as Buffer
    this.#head = undefined
    const text = head.toString('latin1', start, start + headBytes)
    const path = paths.find(([pattern]) => pattern.test(text))?.[1]
    if (path) this.#splitter = new ElementSplitter(path, this.#onBytes)
    this.push(path ? head.subarray(start) : head)
  }
}

/** Returns the position after a byte order mark and white space. */
function findText(bytes: Buffer): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (at < bytes.length && isSpace(bytes[at] as number)) at++
  return at
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Finds the elements of the arrays at a path of brackets in JSON, without parsing it, so that no size needs memory. */
class ElementSplitter {
  readonly #path: Uint8Array
  readonly #onBytes: (bytes: Buffer) => void
  /** The brackets that are open. */
  readonly #open: number[] = []
  /** How many of them begin as the path does. */
  #matching = 0
  #isInString = false
  #isEscaped = false
  /** Whether an element has begun, and its bytes from earlier chunks. */
  #isInside = false
  #held: Buffer[] = []
  #heldBytes = 0
  #problem: string | undefined

  constructor(path: Uint8Array, onBytes: (bytes: Buffer) => void) {
    this.#path = path
    this.#onBytes = onBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let at = 0; at < chunk.length && this.#problem === undefined; at++) {
      if (this.#isInString) {
        at = this.#skipString(chunk, at)
        if (this.#isInString || !this.#isElementLevel) continue
        this.#finish(chunk, start, at + 1)
        continue
      }
      const byte = chunk[at] as number
      if (isSpace(byte) || byte === comma || byte === colon) {
        // A number, `true`, `false` or `null` ends here. Other elements have ended before.
        if (this.#isInside && this.#isElementLevel) this.#finish(chunk, start, at)
        continue
      }
      if (byte === closeBrace || byte === closeBracket) {
        if (this.#isInside && this.#isElementLevel) this.#finish(chunk, start, at)
        this.#close(byte)
        if (this.#isInside && this.#isElementLevel) this.#finish(chunk, start, at + 1)
        continue
      }
      if (this.#isElementLevel && !this.#isInside) {
        this.#isInside = true
        start = at
      }
      if (byte === quote) this.#isInString = true
      else if (byte === openBrace || byte === openBracket) this.#openBracket(byte)
      else if (this.#open.length === 0) this.#problem = 'The JSON ends too early: other text follows it.'
    }
    if (this.#isInside) this.#hold(chunk, start, chunk.length)
  }

  end(): string | undefined {
    if (this.#open.length > 0) this.#problem ??= 'The JSON is cut off: a bracket is not closed.'
    return this.#problem
  }

  get #isElementLevel(): boolean {
    return this.#open.length === this.#path.length && this.#matching === this.#path.length
  }

  /** Returns the position of the closing quote, or the last position of the chunk. */
  #skipString(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (chunk[at] === backslash) this.#isEscaped = true
      else if (chunk[at] === quote) {
        this.#isInString = false
        return at
      }
    }
    return chunk.length
  }

  #openBracket(byte: number): void {
    if (this.#matching === this.#open.length && this.#path[this.#matching] === byte) this.#matching++
    this.#open.push(byte)
  }

  #close(byte: number): void {
    // The closing brackets follow the opening ones by 2 in ASCII.
    if (this.#open.pop() !== byte - 2) this.#problem = 'The JSON has a closing bracket without its opening one.'
    this.#matching = Math.min(this.#matching, this.#open.length)
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    // What is too long for a line only has to stay too long.
    const bytes = Buffer.from(chunk.subarray(start, Math.min(end, start + maxLineBytes + 1 - this.#heldBytes)))
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
  }

  #finish(chunk: Buffer, start: number, end: number): void {
    this.#isInside = false
    if (this.#held.length === 0) {
      this.#emit(chunk.subarray(start, end))
      return
    }
    this.#hold(chunk, 0, end)
    const element = Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#emit(element)
  }

  #emit(element: Buffer): void {
    this.#onBytes(element[0] === quote ? decodeText(element) : withoutBreaks(element))
    this.#onBytes(lineFeed)
  }
}

/** Returns the text of a JSON string without the line break at its end; the bytes as they are when they are not valid. */
function decodeText(element: Buffer): Buffer {
  try {
    return Buffer.from((JSON.parse(element.toString()) as string).replace(/\r?\n$/, ''))
  } catch {
    return withoutBreaks(element)
  }
}

/** Replaces the line breaks between the fields of an object, which is one line then. */
function withoutBreaks(element: Buffer): Buffer {
  if (!element.includes(0x0a)) return element
  return Buffer.from(element.map(byte => (byte === 0x0a ? 0x20 : byte)))
}
