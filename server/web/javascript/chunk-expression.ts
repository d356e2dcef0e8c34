type Value = string | undefined

/** Returns the value of a part of the expression for one chunk id. */
type Term = (id: string) => Value

export interface ChunkExpression {
  /** The chunk ids in the expression. */
  ids: Set<string>
  evaluate: Term
  /** Number of strings, names and maps. */
  size: number
}

/** Max brackets around a part. */
const maxDepth = 200
/** Longer sums are no names of files. */
const maxNameLength = 2048

/**
 * Parses the expression that computes the name of a chunk from its id. The expression may consist of strings, look-ups in
 * maps, `||`, `+`, comparisons and conditions. The expression is null if it contains anything else.
 *
 * @param from where the expression begins.
 * @param parameter the name of the id in the expression.
 * @return `end` = how far the text was read.
 */
export function readChunkExpression(
  text: string,
  from: number,
  parameter: string,
): { expression: ChunkExpression | null; end: number } {
  const reader = new ExpressionReader(text, from, parameter)
  try {
    const expression = { evaluate: reader.readChoice(), ids: reader.ids, size: reader.size }
    return { expression, end: reader.end }
  } catch {
    return { expression: null, end: reader.end }
  }
}

/** A recursive descent parser with one method per precedence level. Throws a SyntaxError at the first unknown token. */
class ExpressionReader {
  readonly ids = new Set<string>()
  size = 0
  /** Position after the last token. */
  end: number
  #depth = 0
  readonly #text: string
  readonly #parameter: string
  /** Groups: a quoted string; a name or number; a sign. */
  readonly #token = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\w$.]+)|(===?|\|\||[(){}[\]?:,+;]))/y
  #peeked: RegExpExecArray | null | undefined
  /** The maps in parentheses, as in `({7:"menu"})[e]`. */
  readonly #maps = new Map<Term, Map<string, string>>()

  constructor(text: string, from: number, parameter: string) {
    this.end = from
    this.#text = text
    this.#parameter = parameter
  }

  readChoice(): Term {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new SyntaxError('depth')
    const choices: { condition: Term; yes: Term }[] = []
    let last = this.#readEither()
    // A chain of conditions has one for each chunk, too many for a recursion.
    while (this.#accept('?')) {
      choices.push({ condition: last, yes: this.readChoice() })
      this.#expect(':')
      last = this.#readEither()
    }
    this.#depth -= 1
    const no = last
    return choices.length === 0 ? no : id => (choices.find(({ condition }) => condition(id))?.yes ?? no)(id)
  }

  #readEither(): Term {
    const terms = [this.#readEquality()]
    while (this.#accept('||')) terms.push(this.#readEquality())
    const [only] = terms
    if (terms.length === 1 && only) return only
    return id => terms.reduce<Value>((value, term) => value || term(id), undefined)
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
      let sum = ''
      for (const term of terms) {
        const value = term(id)
        if (value === undefined || sum.length + value.length > maxNameLength) return undefined
        sum += value
      }
      return sum
    }
  }

  #readOperand(): Term {
    this.size += 1
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
    if (this.#peeked === undefined) {
      this.#token.lastIndex = this.end
      this.#peeked = this.#token.exec(this.#text)
      if (this.#peeked) this.end = this.#token.lastIndex
    }
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
