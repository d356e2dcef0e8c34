// Functions that run inside a page in the browser. They are sent there as text, so each stands for itself: no imports,
// no helpers from outside, nothing that needs a build step.

/** State that the first script leaves on the window for the later ones. */
interface Watch {
  lastChange: number
  /** Elements that a script wants to know the sight of. */
  awaited: Set<Element>
  /** Short timers that have still to fire. */
  timers: Set<number>
  /** The browser's own, not counted. */
  setTimeout: typeof window.setTimeout
}

/** Before any script of the page: notes what it still has to do, makes chance repeatable, keeps dialogs from blocking. */
export function watchPage(): void {
  const watch: Watch = {
    lastChange: performance.now(),
    awaited: new Set(),
    timers: new Set(),
    setTimeout: window.setTimeout.bind(window),
  }
  Object.defineProperty(window, '__quireWatch', { value: watch })

  // A page that waits a moment for its next step is not finished. Chains of timers are followed a few steps only:
  // what polls for ever never finishes.
  const clear = window.clearTimeout.bind(window)
  let depth = 0
  const counting = (handler: TimerHandler, delayMs = 0, ...values: unknown[]): number => {
    if (typeof handler !== 'function' || delayMs > 1000 || depth >= 4)
      return watch.setTimeout(handler, delayMs, ...values)
    const own = depth + 1
    const id = watch.setTimeout(() => {
      watch.timers.delete(id)
      const before = depth
      depth = own
      try {
        handler(...values)
      } finally {
        depth = before
      }
    }, delayMs)
    watch.timers.add(id)
    return id
  }
  window.setTimeout = counting as typeof window.setTimeout
  window.clearTimeout = id => {
    if (typeof id === 'number') watch.timers.delete(id)
    clear(id)
  }

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
        watch.awaited.add(target)
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

/**
 * Resolves with true after so many turns of the page's own event loop in which nothing changed and no timer was open,
 * else with false after `capMs` and at least four times as many. Turns, not time: on a busy machine a page needs longer for
 * the same work.
 */
export function waitForQuiet(quietTurns: number, capMs: number): Promise<boolean> {
  const watch = (window as unknown as { __quireWatch?: Watch }).__quireWatch
  const later = watch?.setTimeout ?? setTimeout
  const started = performance.now()
  return new Promise(resolve => {
    let turns = 0
    let allTurns = 0
    let change = watch?.lastChange
    const look = () => {
      const isBusy = document.readyState === 'loading' || (watch?.timers.size ?? 0) > 0 || watch?.lastChange !== change
      change = watch?.lastChange
      turns = isBusy ? 0 : turns + 1
      allTurns += 1
      if (turns >= quietTurns) resolve(true)
      else if (performance.now() - started >= capMs && allTurns >= quietTurns * 4) resolve(false)
      else later(look, 12)
    }
    look()
  })
}

/** Brings every part of the page into view once, for images that load when they are seen. False = nothing waits for it. */
export async function scrollThrough(maxSteps: number): Promise<boolean> {
  const watch = (window as unknown as { __quireWatch?: Watch }).__quireWatch
  const lazy = document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>(
    'img[loading=lazy], iframe[loading=lazy]',
  )
  for (const element of lazy) element.loading = 'eager'
  const hasMarkers =
    document.querySelector(
      '[data-src], [data-srcset], [data-original], [data-lazy], [data-lazy-src], [data-lazy-srcset], [data-bg], .lazyload, .lazy',
    ) !== null
  // Most observers only light up a heading in the menu; one that loads something watches media or an empty place.
  const isPlace = (element: Element) =>
    element.isConnected &&
    (element.matches('img, iframe, video, picture, source') || element.textContent?.trim() === '')
  if (!hasMarkers && ![...(watch?.awaited ?? [])].some(isPlace)) return lazy.length > 0
  const later = watch?.setTimeout ?? setTimeout
  const endsAt = performance.now() + 10_000
  let framesMissed = 0
  // What is in view is looked at when a frame is drawn, and a busy machine draws few: none of the places may be skipped.
  // A page that is not drawn at all gets the time of a frame.
  const drawn = () =>
    new Promise<void>(resolve => {
      const missed = later(
        () => {
          framesMissed += 1
          resolve()
        },
        framesMissed < 2 && performance.now() < endsAt ? 1000 : 20,
      )
      requestAnimationFrame(() => {
        clearTimeout(missed)
        later(resolve, 0)
      })
    })
  const step = Math.max(400, window.innerHeight - 100)
  for (let at = 0, steps = 0; at < document.documentElement.scrollHeight && steps < maxSteps; at += step, steps += 1) {
    window.scrollTo(0, at)
    await drawn()
  }
  await drawn()
  window.scrollTo(0, 0)
  return true
}

/** The words a reader sees. */
export function readVisibleText(): string {
  return document.body?.innerText ?? ''
}

/** The words of its menus and bars: of what is called so and holds nothing that a reader came for. */
export function readMenuText(): string {
  const called = ['nav', 'menu', 'sidebar', 'toolbar', 'breadcrumb'].flatMap(name => [
    `[id*="${name}" i]`,
    `[class*="${name}" i]`,
  ])
  const menus = `nav, header, footer, aside, [role=navigation], [role=menubar], [role=tree], ${called.join(', ')}`
  const found = new Set<Element>()
  for (const element of document.body?.querySelectorAll(menus) ?? []) {
    const isContent = element.closest('main, article, [role=main]') ?? element.querySelector('main, article, h1, p')
    // The outermost of them, in the order of the document.
    let isInside = false
    for (let above = element.parentElement; above && !isInside; above = above.parentElement) isInside = found.has(above)
    if (!isContent && !isInside) found.add(element)
  }
  return Array.from(found, element => (element as HTMLElement).innerText ?? '').join('\n')
}

/**
 * Whether a framework has taken the page over: it leaves marks on elements, as properties of their own, which none has by
 * itself but lists of fields and choices their numbers, and the document its location.
 */
export function isTakenOver(): boolean {
  const isMarked = (node: Node) => Object.keys(node).some(name => !/^\d+$|^location$/.test(name))
  return isMarked(document) || Array.from(document.querySelectorAll('*')).some(isMarked)
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
