type Queried = Record<string, Record<string, string>>

type Resolve = <T>(address: T) => T | string

/**
 * Runs before the site's scripts, in pages whose scripts request files of other hosts, or data by a query. Redirects these
 * requests to the files in the bundle.
 *
 * @param files paths in the bundle by address, percent-encoded.
 * @param queried paths in the bundle of the site's own data, by path and query.
 */
export default function redirectRequests(files: Record<string, string>, queried: Queried = {}): void {
  const own = document.currentScript as HTMLScriptElement | null
  const root = new URL('..', own?.src ?? location.href).href

  /** Returns the address of the file in the bundle. Other addresses stay unchanged. */
  function resolve<T>(address: T): T | string {
    if (typeof address !== 'string' && !(address instanceof URL)) return address
    const url = URL.canParse(String(address), document.baseURI) ? new URL(String(address), document.baseURI) : null
    if (!url) return address
    const isOwn = url.origin === location.origin
    const path =
      files[url.origin + url.pathname + url.search] ?? (isOwn ? queried[url.pathname]?.[url.search] : undefined)
    if (path !== undefined) return root + path + url.hash
    // Scripts append the names of data to the addresses of links, which are those of files here.
    const folder = url.pathname.replace('/index.html/', '/')
    return isOwn && folder !== url.pathname ? url.origin + folder + url.search : address
  }

  redirectElements(resolve)
  ignoreIntegrity()
  redirectAttributes(resolve)
  redirectCalls(resolve)
  mergeAnswers(root, queried)
}

/** Lists properties that load a file when a script sets them. */
function loadingProperties(): [string, Element][] {
  return [
    ['src', HTMLScriptElement.prototype],
    ['src', HTMLImageElement.prototype],
    ['src', HTMLMediaElement.prototype],
    ['src', HTMLSourceElement.prototype],
    ['href', HTMLLinkElement.prototype],
  ]
}

function redirectElements(resolve: Resolve): void {
  for (const [name, prototype] of loadingProperties()) {
    const plain = Object.getOwnPropertyDescriptor(prototype, name)
    if (!plain?.set) continue
    Object.defineProperty(prototype, name, {
      ...plain,
      set(this: Element, address: unknown) {
        plain.set?.call(this, resolve(address))
      },
    })
  }
}

/**
 * Ignores `integrity` and `crossorigin`, because both would block packed files: exports change bytes, and file: has no
 * origins.
 */
function ignoreIntegrity(): void {
  for (const prototype of [HTMLScriptElement.prototype, HTMLLinkElement.prototype])
    for (const name of ['integrity', 'crossOrigin'])
      Object.defineProperty(prototype, name, { configurable: true, enumerable: true, get: () => null, set() {} })
}

function redirectAttributes(resolve: Resolve): void {
  const loading = loadingProperties()
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (this: Element, name: string, value: string) {
    const lower = String(name).toLowerCase()
    const isLoader = /^(SCRIPT|LINK)$/.test(this.tagName)
    if (isLoader && (lower === 'integrity' || lower === 'crossorigin')) return
    const isAddress = loading.some(
      ([own, prototype]) => own === lower && Object.prototype.isPrototypeOf.call(prototype, this),
    )
    setAttribute.call(this, name, isAddress ? resolve(value) : value)
  }
}

function redirectCalls(resolve: Resolve): void {
  const { fetch } = window
  window.fetch = (input, init) => {
    if (!(input instanceof Request)) return fetch(resolve(input), init)
    const address = resolve(input.url)
    return fetch(address === input.url ? input : new Request(address, input), init)
  }
  const { open } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...request: unknown[]) {
    request[1] = resolve(request[1])
    return Reflect.apply(open, this, request)
  } as typeof open
  const PlainWorker = window.Worker
  window.Worker = class extends PlainWorker {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(resolve(address), options)
    }
  }
}

/**
 * Answers a query that nobody asked at the origin from the answers to other queries of the same path, if these are parts of
 * one object that do not contradict each other: then a script may get more of it than it asks for.
 */
function mergeAnswers(root: string, queried: Queried): void {
  const { fetch } = window
  window.fetch = async (input, init) => {
    const url = URL.parse(input instanceof Request ? input.url : String(input), document.baseURI)
    const known = url?.origin === location.origin ? queried[url.pathname] : undefined
    const merged = url && known && !(url.search in known) ? await merge(Object.values(known)) : null
    return merged ? Response.json(merged) : fetch(input, init)
  }

  async function merge(paths: readonly string[]): Promise<Record<string, unknown> | null> {
    const merged: Record<string, unknown> = {}
    for (const path of paths) {
      const part: unknown = await fetch(root + path)
        .then(answer => answer.json())
        .catch(() => null)
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return null
      for (const [name, value] of Object.entries(part)) {
        if (name in merged && JSON.stringify(merged[name]) !== JSON.stringify(value)) return null
        merged[name] = value
      }
    }
    return merged
  }
}
