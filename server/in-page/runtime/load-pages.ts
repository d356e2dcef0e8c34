import { barePath } from './bare-path.ts'

/**
 * Runs before the site's scripts, in pages whose scripts run where those of other pages do not. Makes the browser load those
 * pages. Otherwise the site's scripts could show them in place.
 *
 * @param pages pages, as `barePath` writes their paths, by where their scripts run at most: nowhere, only at the root of a
 * host, or also in a folder of a host.
 */
export default function loadPages(pages: Partial<Record<'none' | 'root' | 'folder', string[]>>): void {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement)) return
  const root = new URL('..', script.src)
  script.remove()
  const isHosted = /^https?:$/.test(root.protocol)
  const isRoot = isHosted && root.pathname === '/'
  const lists = [pages.none, isRoot ? [] : pages.root, isHosted ? [] : pages.folder]
  const others = new Set(lists.flatMap(list => list ?? []))
  if (others.size === 0) return

  /** Decides whether an address is that of a page whose scripts do not run here. */
  function isOther(address: string | URL | null | undefined): boolean {
    const url = address ? URL.parse(String(address), document.baseURI) : null
    if (!url?.href.startsWith(root.href) || isSamePage(url)) return false
    return others.has(barePath(withoutRest(url).slice(root.href.length)))
  }

  // Runs before every listener of the site. The browser then follows the link.
  addEventListener(
    'click',
    event => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null
      if (link instanceof HTMLAnchorElement && isOther(link.href)) event.stopImmediatePropagation()
    },
    { capture: true },
  )
  loadPushedPages(isOther)
}

/** Loads a page that a script would show in place. */
function loadPushedPages(isOther: (address: string | URL | null | undefined) => boolean): void {
  const { pushState } = history
  history.pushState = function (this: History, state: unknown, unused: string, address?: string | URL | null) {
    if (isOther(address)) location.assign(String(address))
    else pushState.call(this, state, unused, address)
  }
}

function isSamePage(url: URL): boolean {
  return withoutRest(url) === withoutRest(location)
}

function withoutRest({ href }: { href: string }): string {
  return href.split(/[?#]/, 1)[0] ?? ''
}
