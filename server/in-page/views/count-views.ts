/** What this script uses of the Navigation API, which TypeScript does not know yet. */
declare const navigation: {
  addEventListener(type: 'currententrychange', listen: (event: { navigationType: string | null }) => void): void
}

/**
 * Tells the server of each page that the reader opens, also when a router opens it without asking the server. It keeps nothing in
 * the browser, and sends nothing but the path, and the site that the reader came from.
 *
 * Its script element decides: with `data-to`, it tells that address of the API; else the site itself, whose access log is counted.
 * With `data-unless-opted-out`, it does nothing for readers who ask not to be tracked.
 */
export default function countViews(): void {
  const script = document.currentScript as HTMLScriptElement | null
  const { to, unlessOptedOut } = script?.dataset ?? {}
  const { globalPrivacyControl, doNotTrack }: Navigator & { globalPrivacyControl?: boolean } = navigator
  if (unlessOptedOut !== undefined && (globalPrivacyControl || doNotTrack === '1')) return
  // The page that says that there is no page. Its views are counted by its status.
  const [loaded] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  let lastPath = loaded && loaded.responseStatus >= 400 ? location.pathname : ''
  const utmSource = new URLSearchParams(location.search).get('utm_source')
  let referrer = document.referrer || (utmSource ? `https://${utmSource}` : '')

  const send = () => {
    const { pathname } = location
    // A page that is loaded ahead, and a tab in the background, are hidden until the reader looks at them.
    if (document.visibilityState === 'hidden' || pathname === lastPath) return
    const page = `page=${encodeURIComponent(pathname)}`
    const from = referrer ? `&referrer=${encodeURIComponent(referrer)}` : ''
    lastPath = pathname
    referrer = ''
    const sent = to
      ? fetch(`${to}&${page}${from}`, { method: 'POST', keepalive: true, credentials: 'omit' })
      : fetch(`/_quire/view?${page}`, { keepalive: true, cache: 'no-store' })
    // A reader who is offline, or blocks it, is not counted.
    sent.catch(() => {})
  }

  document.addEventListener('visibilitychange', send)
  if ('navigation' in window) {
    navigation.addEventListener('currententrychange', ({ navigationType }) => {
      // Routers replace an address to correct it, or to keep the position of the page.
      if (navigationType !== 'replace') send()
    })
  } else {
    addEventListener('popstate', send)
    const { pushState } = history
    history.pushState = function (...state) {
      pushState.apply(this, state)
      send()
    }
  }
  send()
}
