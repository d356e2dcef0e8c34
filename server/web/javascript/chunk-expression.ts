type Value = string | undefined

/** Returns the value of a part of the expression for one chunk id. */
type Term = (id: string) => Value

export interface ChunkExpression {
  /** The chunk ids in the expression. */
  ids: Set<string>
  evaluate: Term
}

/**
 * Parses the expression that computes the name of a chunk from its id. The expression may consist of strings, look-ups in
 * maps, `||`, `+`, comparisons and conditions. Returns null if it contains anything else.
 *
 * @param parameter the name of the id in the expression.
 */
export function readChunkExpression(text: string, parameter: string): ChunkExpression | null {
  const reader = new ExpressionReader(text, parameter)
  try {
    return { evaluate: reader.readChoice(), ids: reader.ids }
  } catch {
    return null
  }
}

/** A recursive descent parser with one method per precedence level. Throws a SyntaxError at the first unknown token. */
class ExpressionReader {
  readonly ids = new Set<string>()
  readonly #text: string
  readonly #parameter: string
  /** Groups: a quoted string; a name or number; a sign. */
  readonly #token = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\w$.]+)|(===?|\|\||[(){}[\]?:,+;]))/y
  #peeked: RegExpExecArray | null | undefined
  /** The maps in parentheses, as in `({7:"menu"})[e]`. */
  readonly #maps = new Map<Term, Map<string, string>>()

  constructor(text: string, parameter: string) {
    this.#text = text
    this.#parameter = parameter
  }

  readChoice(): Term {
    const condition = this.#readEither()
    if (!this.#accept('?')) return condition
    const yes = this.readChoice()
    this.#expect(':')
    const no = this.readChoice()
    return id => (condition(id) ? yes(id) : no(id))
  }

  #readEither(): Term {
    const first = this.#readEquality()
    if (!this.#accept('||')) return first
    const second = this.#readEither()
    return id => first(id) || second(id)
  }

  #readEquality(): Term {
    const left = this.#readSum()
    if (!this.#accept('===') && !this.#accept('==')) return left
    const right = this.#readSum()
    // The constant in a comparison is a chunk id.
    for (const side of [left, right]) {
      const value = side('')
      if (value) this.ids.add(value)
    }
    return id => (left(id) === right(id) ? 'true' : undefined)
  }

  #readSum(): Term {
    const terms = [this.#readOperand()]
    while (this.#accept('+')) terms.push(this.#readOperand())
    const [only] = terms
    if (terms.length === 1 && only) return only
    return id => {
      const values = terms.map(term => term(id))
      return values.includes(undefined) ? undefined : values.join('')
    }
  }

  #readOperand(): Term {
    if (this.#accept('(')) {
      const inner = this.readChoice()
      this.#expect(')')
      return this.#readLookUp(inner)
    }
    if (this.#accept('{')) return this.#readLookUp(() => undefined, this.#readMap())
    const token = this.#take()
    if (token?.[1] !== undefined) {
      const value = token[1].slice(1, -1)
      return () => value
    }
    const name = token?.[2] ?? ''
    if (name === this.#parameter) return id => id
    if (/^\d+$/.test(name)) return () => name
    throw new SyntaxError(name)
  }

  /** Reads a term, or a map and the `[e]` after it. */
  #readLookUp(term: Term, map: Map<string, string> | null = this.#maps.get(term) ?? null): Term {
    if (!this.#accept('[')) {
      const kept: Term = id => term(id)
      if (map) this.#maps.set(kept, map)
      return kept
    }
    const key = this.readChoice()
    this.#expect(']')
    return id => map?.get(key(id) ?? '')
  }

  #readMap(): Map<string, string> {
    const map = new Map<string, string>()
    while (!this.#accept('}')) {
      const key = this.#take()
      this.#expect(':')
      const value = this.#take()
      const name = key?.[2] ?? key?.[1]?.slice(1, -1)
      const text = value?.[1]?.slice(1, -1) ?? value?.[2]
      if (name === undefined || text === undefined) throw new SyntaxError('map')
      map.set(name, text)
      this.ids.add(name)
      if (!this.#isNext('}')) this.#expect(',')
    }
    return map
  }

  #peek(): RegExpExecArray | null {
    if (this.#peeked === undefined) this.#peeked = this.#token.exec(this.#text)
    return this.#peeked
  }

  #take(): RegExpExecArray | null {
    const taken = this.#peek()
    this.#peeked = undefined
    return taken
  }

  #isNext(sign: string): boolean {
    return this.#peek()?.[3] === sign
  }

  #accept(sign: string): boolean {
    return this.#isNext(sign) && this.#take() !== null
  }

  #expect(sign: string): void {
    if (!this.#accept(sign)) throw new SyntaxError(sign)
  }
}
