/** How long after a click a script may take until it requests the page. */
const clickMs = 3000

/**
 * Follows the links that scripts follow without the browser: such a script requests the page of a clicked link and puts it in
 * place of the shown one. Browsers refuse both on file://.
 *
 * @return a function to call with each address that a script requests, and that is no packed file. If it is that of the link
 * that was just clicked, the browser loads the page.
 */
export function createClickFollower(): (address: unknown) => void {
  let clicked: { href: string; at: number } | null = null
  addEventListener(
    'click',
    ({ target }) => {
      const link = target instanceof Element ? target.closest('a') : null
      clicked = link ? { href: link.href, at: performance.now() } : null
    },
    true,
  )
  const follow = (address: unknown) => {
    const bare = bareAddress(String(address))
    if (!clicked || performance.now() - clicked.at > clickMs) return
    if (bare === bareAddress(clicked.href) && bare !== bareAddress(location.href)) location.assign(clicked.href)
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const plain = history[name].bind(history)
    history[name] = (data, unused, address) => {
      try {
        plain(data, unused, address)
      } catch (error) {
        follow(address)
        throw error
      }
    }
  }
  return follow
}

function bareAddress(address: string): string | null {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href.replace(/#.*$/s, '') : null
}
