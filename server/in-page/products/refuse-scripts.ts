/**
 * Runs before the scripts of a page. Keeps them from loading the scripts, frames and styles that the operator removes.
 *
 * @param addresses regular expressions for host, path and query.
 * @param inline signs of inline scripts, without white space and with single quotes.
 */
export default function refuseScripts(addresses: readonly string[], inline: readonly string[]): void {
  const refusal = createRefusal(
    addresses.map(source => new RegExp(source, 'i')),
    inline,
  )
  watchAddresses(refusal)
  watchInsertions(refusal)
}

interface Refusal {
  isRefused(address: string): boolean
  /** Disables the refused elements in a node. */
  clean(node: unknown): void
}

function createRefusal(refused: readonly RegExp[], inline: readonly string[]): Refusal {
  function isRefused(address: string): boolean {
    try {
      const { host, pathname, search } = new URL(address, document.baseURI)
      return refused.some(pattern => pattern.test(host + pathname + search))
    } catch {
      return false
    }
  }

  function holdsSign(text: string): boolean {
    const bare = text.replace(/\s+/g, '').replace(/["`]/g, "'")
    return inline.some(sign => bare.includes(sign))
  }

  function shouldDisable(element: Element): boolean {
    const name = addressName(element)
    const address = name && element.getAttribute(name)
    if (address !== null) return isRefused(address)
    return element instanceof HTMLScriptElement && holdsSign(element.text)
  }

  return {
    isRefused,
    clean(node) {
      if (!(node instanceof Element || node instanceof DocumentFragment)) return
      const inside = node.querySelectorAll('script,iframe,link')
      for (const element of node instanceof Element ? [node, ...inside] : inside)
        if (shouldDisable(element)) disable(element)
    },
  }
}

function addressName(element: Element): 'src' | 'href' | null {
  if (element instanceof HTMLLinkElement) return 'href'
  return element instanceof HTMLScriptElement || element instanceof HTMLIFrameElement ? 'src' : null
}

/** Makes an element load nothing, and tells the page as if the network had failed. */
function disable(element: Element): void {
  if (element instanceof HTMLScriptElement) element.type = 'text/removed'
  for (const name of ['src', 'href']) element.removeAttribute(name)
  setTimeout(() => element.dispatchEvent(new Event('error')))
}

function watchAddresses({ isRefused }: Refusal): void {
  for (const [prototype, name] of [
    [HTMLScriptElement.prototype, 'src'],
    [HTMLIFrameElement.prototype, 'src'],
    [HTMLLinkElement.prototype, 'href'],
  ] as const) {
    const own = Object.getOwnPropertyDescriptor(prototype, name)
    const set = function (this: Element, value: unknown) {
      if (isRefused(String(value))) disable(this)
      else own?.set?.call(this, value)
    }
    if (own) Object.defineProperty(prototype, name, { ...own, set })
  }
  wrap(Element.prototype, 'setAttribute', (self, values) => {
    const isAddress = self instanceof Element && addressName(self) === String(values[0]).toLowerCase()
    if (!isAddress || !isRefused(String(values[1]))) return values
    disable(self)
    return null
  })
}

const inserting = ['append', 'prepend', 'before', 'after', 'replaceWith', 'replaceChildren', 'insertAdjacentElement']

function watchInsertions({ clean }: Refusal): void {
  const cleanAll = (_self: unknown, values: unknown[]) => {
    for (const value of values) clean(value)
    return values
  }
  for (const name of ['appendChild', 'insertBefore', 'replaceChild']) wrap(Node.prototype, name, cleanAll)
  for (const prototype of [Element.prototype, Document.prototype, DocumentFragment.prototype, CharacterData.prototype])
    for (const name of inserting) wrap(prototype, name, cleanAll)
  const cleanMarkup = (_self: unknown, values: unknown[]) => {
    const template = document.createElement('template')
    template.innerHTML = values.join('')
    const before = template.innerHTML
    clean(template.content)
    return template.innerHTML === before ? values : [template.innerHTML]
  }
  for (const name of ['write', 'writeln']) wrap(Document.prototype, name, cleanMarkup)
}

/** Replaces a method. `before` returns the arguments for the original; null = it is not called. */
function wrap(prototype: object, name: string, before: (self: unknown, values: unknown[]) => unknown[] | null): void {
  const owner = prototype as Record<string, unknown>
  const original = owner[name]
  if (typeof original !== 'function') return
  owner[name] = function (this: unknown, ...values: unknown[]) {
    const changed = before(this, values)
    return changed && Reflect.apply(original, this, changed)
  }
}
