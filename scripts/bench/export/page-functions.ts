// Functions that run inside a page. They are sent as text, so each must be self-contained.

/** Resolves when the document has not changed for `quietMs`, or after `capMs`. */
export function waitForQuietDocument(quietMs: number, capMs: number): Promise<void> {
  return new Promise(resolve => {
    let timer = setTimeout(end, quietMs)
    const cap = setTimeout(end, capMs)
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(end, quietMs)
    })
    observer.observe(document, { childList: true, characterData: true, subtree: true })
    function end() {
      observer.disconnect()
      clearTimeout(timer)
      clearTimeout(cap)
      resolve()
    }
  })
}

/** Reads what a visitor sees: words, words of the content alone, styles and links. */
export function readPage(): { text: string; content: string; style: string[]; links: string[] } {
  const style = ['body', 'main, article, [role=main]', 'h1', 'h2', 'p', 'pre', 'code', 'nav', 'aside', 'table']
    .concat(['main a[href], article a[href], [role=main] a[href]', 'footer', 'header', 'button'])
    .map(selector => {
      const element = Array.from(document.querySelectorAll<HTMLElement>(selector)).find(
        it => it.getClientRects().length > 0,
      )
      if (!element) return `${selector}: none`
      const { fontFamily, fontSize, fontWeight, color, backgroundColor, display } = getComputedStyle(element)
      const width = Math.round(element.getBoundingClientRect().width / 8)
      return [selector, fontFamily, fontSize, fontWeight, color, backgroundColor, display, width].join(' | ')
    })
  const links = Array.from(document.querySelectorAll<HTMLAnchorElement>('a[href]'), link => link.href)
  const text = document.body?.innerText ?? ''
  const main = document.querySelector<HTMLElement>('article, main, [role=main]')
  return { text, content: main?.innerText ?? text, style, links }
}
