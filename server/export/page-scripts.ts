// Functions that run inside a page in the browser. They are sent there as text, so each stands for itself: no imports,
// no helpers from outside, nothing that needs a build step.

/** State that the first script leaves on the window for the later ones. */
interface Watch {
  lastChange: number
  wantsScroll: boolean
}

/** Before any script of the page: notes changes of the document, makes chance repeatable, keeps dialogs from blocking. */
export function watchPage(): void {
  const watch: Watch = { lastChange: performance.now(), wantsScroll: false }
  Object.defineProperty(window, '__quireWatch', { value: watch })

  // The same page must give the same bytes twice, also when it makes up ids.
  let seed = 0x9e3779b9
  const random = () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((seed ^ (seed >>> 12)) >>> 0) / 4294967296
  }
  Math.random = random
  if (typeof crypto !== 'undefined' && crypto.randomUUID) {
    crypto.randomUUID = () => {
      const hex = () =>
        Math.floor(random() * 65536)
          .toString(16)
          .padStart(4, '0')
      return `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`
    }
  }
  const dialogs: { alert(): void; confirm(): boolean; prompt(): null; print(): void; open(): null } = {
    alert: () => undefined,
    confirm: () => false,
    prompt: () => null,
    print: () => undefined,
    open: () => null,
  }
  Object.assign(window, dialogs)
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(window, name)

  const Original = window.IntersectionObserver
  if (Original) {
    window.IntersectionObserver = class extends Original {
      override observe(target: Element) {
        watch.wantsScroll = true
        super.observe(target)
      }
    }
  }
  const observe = () => {
    new MutationObserver(() => {
      watch.lastChange = performance.now()
    }).observe(document, { childList: true, characterData: true, subtree: true })
  }
  observe()
}

/** Resolves when the document did not change for `quietMs`, or after `capMs`. */
export function waitForQuiet(quietMs: number, capMs: number): Promise<boolean> {
  const watch = (window as unknown as { __quireWatch?: Watch }).__quireWatch
  const started = performance.now()
  return new Promise(resolve => {
    const look = () => {
      const now = performance.now()
      const isReady = document.readyState !== 'loading'
      if (isReady && now - (watch?.lastChange ?? started) >= quietMs) resolve(true)
      else if (now - started >= capMs) resolve(false)
      else setTimeout(look, 20)
    }
    look()
  })
}

/** Brings every part of the page into view once, for images that load when they are seen. False = nothing waits for it. */
export async function scrollThrough(mostSteps: number): Promise<boolean> {
  const watch = (window as unknown as { __quireWatch?: Watch }).__quireWatch
  const lazy = document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>(
    'img[loading=lazy], iframe[loading=lazy]',
  )
  for (const element of lazy) element.loading = 'eager'
  const hasMarkers = document.querySelector('[data-src], [data-srcset], [data-lazy], .lazyload, .lazy') !== null
  if (!hasMarkers && !watch?.wantsScroll) return lazy.length > 0
  const step = Math.max(400, window.innerHeight - 100)
  for (let at = 0, steps = 0; at < document.documentElement.scrollHeight && steps < mostSteps; at += step, steps += 1) {
    window.scrollTo(0, at)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  window.scrollTo(0, 0)
  return true
}

/** The words a reader sees. */
export function readVisibleText(): string {
  return document.body?.innerText ?? ''
}

/** The page as it stands, as HTML that needs no script: style rules made by scripts written out, shadow trees declared. */
export function serializePage(): { html: string; baseUrl: string } {
  const rulesOf = (sheet: CSSStyleSheet) => {
    try {
      return Array.from(sheet.cssRules, rule => rule.cssText).join('\n')
    } catch {
      return ''
    }
  }
  const roots: ShadowRoot[] = []
  const visit = (root: Document | ShadowRoot) => {
    for (const style of root.querySelectorAll('style')) {
      if (style.sheet && (style.textContent ?? '').trim() === '' && style.sheet.cssRules.length > 0) {
        style.textContent = rulesOf(style.sheet)
      }
    }
    const adopted = root.adoptedStyleSheets.map(rulesOf).filter(text => text !== '')
    if (adopted.length > 0) {
      const style = document.createElement('style')
      style.textContent = adopted.join('\n')
      const into = root instanceof Document ? root.head : root
      into?.append(style)
    }
    for (const element of root.querySelectorAll('*')) {
      if (!element.shadowRoot) continue
      roots.push(element.shadowRoot)
      visit(element.shadowRoot)
    }
  }
  visit(document)
  const element = document.documentElement as HTMLElement & { getHTML?(options: object): string }
  const doctype = document.doctype ? '<!DOCTYPE html>\n' : ''
  const attributes = Array.from(element.attributes, ({ name, value }) => {
    return ` ${name}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`
  }).join('')
  const inner =
    roots.length > 0 && element.getHTML
      ? element.getHTML({ serializableShadowRoots: true, shadowRoots: roots })
      : element.innerHTML
  return { html: `${doctype}<html${attributes}>${inner}</html>\n`, baseUrl: location.href }
}
