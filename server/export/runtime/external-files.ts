/** Where the script lies that leads scripts to packed files of other hosts. */
export const externalFilesPath = '_quire/external.js'

/**
 * The script that pages load before any of their own, when scripts of the site ask other hosts for files by themselves:
 * it gives them the packed file instead, wherever the bundle lies.
 *
 * @param files paths in the bundle, by address.
 */
export function externalFilesScript(files: ReadonlyMap<string, string>): string {
  const encoded = [...files].map(([address, path]) => [address, path.split('/').map(encodeURIComponent).join('/')])
  return `(${redirectRequests})(${JSON.stringify(Object.fromEntries(encoded), null, 1)})\n`
}

/** Runs inside pages of a bundle, sent there as text: it stands for itself, with no imports and nothing from outside. */
function redirectRequests(files: Record<string, string>): void {
  const own = document.currentScript as HTMLScriptElement | null
  const root = new URL('..', own?.src ?? location.href).href

  /** The packed file's address; what is no such file as it was. */
  function local<T>(address: T): T | string {
    if (typeof address !== 'string' && !(address instanceof URL)) return address
    const url = URL.canParse(String(address), document.baseURI) ? new URL(String(address), document.baseURI) : null
    const path = url ? files[url.origin + url.pathname + url.search] : undefined
    return url && path !== undefined ? root + path + url.hash : address
  }

  const loading: [string, Element][] = [
    ['src', HTMLScriptElement.prototype],
    ['src', HTMLImageElement.prototype],
    ['src', HTMLMediaElement.prototype],
    ['src', HTMLSourceElement.prototype],
    ['href', HTMLLinkElement.prototype],
  ]
  for (const [name, prototype] of loading) {
    const plain = Object.getOwnPropertyDescriptor(prototype, name)
    if (plain?.set)
      Object.defineProperty(prototype, name, {
        ...plain,
        set(this: Element, address: unknown) {
          plain.set?.call(this, local(address))
        },
      })
  }
  // Bytes may have changed, and file: has no origins: both would keep a packed file from loading.
  for (const prototype of [HTMLScriptElement.prototype, HTMLLinkElement.prototype])
    for (const name of ['integrity', 'crossOrigin'])
      Object.defineProperty(prototype, name, { configurable: true, enumerable: true, get: () => null, set() {} })
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (this: Element, name: string, value: string) {
    const lower = String(name).toLowerCase()
    const isLoader = /^(SCRIPT|LINK)$/.test(this.tagName)
    if (isLoader && (lower === 'integrity' || lower === 'crossorigin')) return
    const isAddress = loading.some(
      ([own, prototype]) => own === lower && Object.prototype.isPrototypeOf.call(prototype, this),
    )
    setAttribute.call(this, name, isAddress ? local(value) : value)
  }
  const { fetch } = window
  window.fetch = (input, init) =>
    input instanceof Request
      ? fetch(local(input.url) === input.url ? input : new Request(local(input.url), input), init)
      : fetch(local(input), init)
  const { open } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...request: unknown[]) {
    request[1] = local(request[1])
    return Reflect.apply(open, this, request)
  } as typeof open
  const PlainWorker = window.Worker
  window.Worker = class extends PlainWorker {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(local(address), options)
    }
  }
}
