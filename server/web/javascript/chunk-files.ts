/** An app of more chunks than this is packed without those past it. */
const maxChunks = 20_000

/**
 * The files that a bundler's run-time names by a function of the chunk's number, such as
 * `r.u=e=>"js/"+({7:"menu"}[e]||e)+"."+{7:"c0ffee"}[e]+".js"` (webpack, rspack). No literal names them whole. The
 * function is read, never run: strings, look-ups, `||`, `+` and comparisons are all it may hold.
 *
 * @returns names as such a function gives them, with the public path in front when the script sets one.
 */
export function chunkFiles(text: string): string[] {
  const found = new Set<string>()
  const head = /\.(u|miniCssF)=(?:\(?([\w$]+)\)?=>|function\(([\w$]+)\)\{return )/g
  const publicPath = /\.p="([^"\\]*)"/.exec(text)?.[1] ?? ''
  for (const match of text.matchAll(head)) {
    const expression = readExpression(text.slice(match.index + match[0].length), match[2] ?? match[3] ?? '')
    // A program of one chunk needs no map; the chunk is named where it is asked for.
    const asked = match[1] === 'u' ? askedChunks : styledChunks
    for (const id of expression?.ids.size ? expression.ids : asked(text)) {
      const name = expression?.evaluate(id)
      if (name && /^[\w@~%+.,/-]+\.(?:m?js|css)$/.test(name)) found.add(publicPath + name)
      if (found.size >= maxChunks) return [...found]
    }
  }
  return [...found]
}

function askedChunks(text: string): Set<string> {
  const single = Array.from(text.matchAll(/\.e\(["']?([\w-]+)["']?\)/g), ([, id = '']) => id)
  const listed = Array.from(text.matchAll(/\.O\(void 0,\[([\d,]+)\]/g), ([, ids = '']) => ids.split(','))
  return new Set([...single, ...listed.flat()])
}

/** The few chunks that come with a style sheet: `r.f.miniCss=(e,t)=>{...{58:1}[e]&&t.push(`. */
function styledChunks(text: string): string[] {
  const map = /\.f\.miniCss=[\s\S]{0,400}?\{((?:["']?[\w-]+["']?:1,?)+)\}\)?\[/.exec(text)?.[1] ?? ''
  return Array.from(map.matchAll(/([\w-]+)["']?:1/g), ([, id = '']) => id)
}

/** VitePress loads `x.md.js` on a click for the page that itself came with `x.md.lean.js`. */
export function fullTwin(script: URL): string | null {
  return /\/([^/]+)\.lean\.js$/.exec(script.pathname)?.[1]?.replace(/$/, '.js').replace(/^/, './') ?? null
}

type Value = string | undefined
type Term = (id: string) => Value

/** Reads one expression; null when it holds anything that is not known here. */
function readExpression(text: string, parameter: string): { ids: Set<string>; evaluate: Term } | null {
  const ids = new Set<string>()
  const token = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\w$.]+)|(===?|\|\||[(){}[\]?:,+;]))/y
  let peeked: RegExpExecArray | null | undefined

  const peek = () => {
    if (peeked === undefined) peeked = token.exec(text)
    return peeked
  }
  const take = () => {
    const taken = peek()
    peeked = undefined
    return taken
  }
  const isNext = (symbol: string) => peek()?.[3] === symbol
  const accept = (symbol: string) => isNext(symbol) && take() !== null
  const expect = (symbol: string) => {
    if (!accept(symbol)) throw new SyntaxError(symbol)
  }

  function choice(): Term {
    const condition = either()
    if (!accept('?')) return condition
    const yes = choice()
    expect(':')
    const no = choice()
    return id => (condition(id) ? yes(id) : no(id))
  }

  function either(): Term {
    const first = equality()
    if (!accept('||')) return first
    const second = either()
    return id => first(id) || second(id)
  }

  function equality(): Term {
    const left = sum()
    if (!accept('===') && !accept('==')) return left
    const right = sum()
    // The number that is compared with is a chunk's.
    for (const side of [left, right]) {
      const value = side('')
      if (value) ids.add(value)
    }
    return id => (left(id) === right(id) ? 'true' : undefined)
  }

  function sum(): Term {
    const terms = [operand()]
    while (accept('+')) terms.push(operand())
    const [only] = terms
    if (terms.length === 1 && only) return only
    return id => {
      const values = terms.map(term => term(id))
      return values.includes(undefined) ? undefined : values.join('')
    }
  }

  function operand(): Term {
    if (accept('(')) {
      const inner = choice()
      expect(')')
      return lookUp(inner)
    }
    if (accept('{')) return lookUp(() => undefined, readMap())
    const taken = take()
    if (taken?.[1] !== undefined) {
      const value = taken[1].slice(1, -1)
      return () => value
    }
    const name = taken?.[2] ?? ''
    if (name === parameter) return id => id
    if (/^\d+$/.test(name)) return () => name
    throw new SyntaxError(name)
  }

  /** A term, or the map that stands in its place, followed by `[e]`. */
  function lookUp(term: Term, map: Map<string, string> | null = maps.get(term) ?? null): Term {
    if (!accept('[')) {
      const kept: Term = id => term(id)
      if (map) maps.set(kept, map)
      return kept
    }
    const key = choice()
    expect(']')
    return id => map?.get(key(id) ?? '')
  }

  function readMap(): Map<string, string> {
    const map = new Map<string, string>()
    while (!accept('}')) {
      const key = take()
      expect(':')
      const value = take()
      const name = key?.[2] ?? key?.[1]?.slice(1, -1)
      const text = value?.[1]?.slice(1, -1) ?? value?.[2]
      if (name === undefined || text === undefined) throw new SyntaxError('map')
      map.set(name, text)
      ids.add(name)
      if (!isNext('}')) expect(',')
    }
    return map
  }

  const maps = new Map<Term, Map<string, string>>()
  try {
    return { evaluate: choice(), ids }
  } catch {
    return null
  }
}
