/** Runs before any script of the page: records pending work, makes random values repeatable, and disables dialogs. */
export default function watchPage(): void {
  const watch: Watch = {
    lastChange: performance.now(),
    awaited: new Set(),
    timers: new Set(),
    setTimeout: window.setTimeout.bind(window),
    styles: new WeakMap(),
  }
  Object.defineProperty(window, '__quireWatch', { value: watch })
  countTimers(watch)
  makeRandomRepeatable()
  silenceDialogs()
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(window, name)
  recordAwaited(watch)
  recordChanges(watch)
  recordStyles(watch)
}

const maxTimerMs = 1000
const maxChain = 4

/**
 * Counts pending short timers, because a page that waits for a short timer is not finished. Counts only the first steps of
 * a chain of timers, because a page that polls never finishes.
 */
function countTimers(watch: Watch): void {
  const clear = window.clearTimeout.bind(window)
  let depth = 0
  const counting = (handler: TimerHandler, delayMs = 0, ...values: unknown[]): number => {
    if (typeof handler !== 'function' || delayMs > maxTimerMs || depth >= maxChain)
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
}

/** Replaces random numbers and ids with a fixed sequence, to make a page produce the same HTML each time. */
function makeRandomRepeatable(): void {
  let seed = 0x9e3779b9
  const random = () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((seed ^ (seed >>> 12)) >>> 0) / 4294967296
  }
  Math.random = random
  if (typeof crypto === 'undefined' || !crypto.randomUUID) return
  const hex = () =>
    Math.floor(random() * 65536)
      .toString(16)
      .padStart(4, '0')
  crypto.randomUUID = () => `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`
}

function silenceDialogs(): void {
  const dialogs: { alert(): void; confirm(): boolean; prompt(): null; print(): void; open(): null } = {
    alert: () => undefined,
    confirm: () => false,
    prompt: () => null,
    print: () => undefined,
    open: () => null,
  }
  Object.assign(window, dialogs)
}

function recordAwaited(watch: Watch): void {
  const Original = window.IntersectionObserver
  if (!Original) return
  window.IntersectionObserver = class extends Original {
    override observe(target: Element) {
      watch.awaited.add(target)
      super.observe(target)
    }
  }
}

/** Records changes of the document and of its shadow trees, also closed ones. */
function recordChanges(watch: Watch): void {
  const observer = new MutationObserver(() => {
    watch.lastChange = performance.now()
  })
  const observe = (root: Node) => observer.observe(root, { childList: true, characterData: true, subtree: true })
  observe(document)
  const attach = Element.prototype.attachShadow
  if (!attach) return
  Element.prototype.attachShadow = function (this: Element, init: ShadowRootInit) {
    const root = attach.call(this, init)
    observe(root)
    return root
  }
}

function recordStyles({ styles }: Watch): void {
  const { replaceSync } = CSSStyleSheet.prototype
  if (!replaceSync) return
  CSSStyleSheet.prototype.replaceSync = function (this: CSSStyleSheet, text: string) {
    replaceSync.call(this, text)
    styles.set(this, { text: String(text), rules: this.cssRules.length })
  }
}

/** State that `watchPage` stores on the window for the other scripts. */
interface Watch {
  lastChange: number
  /** Elements that a script observes until they enter the viewport. */
  awaited: Set<Element>
  /** Short timers that have not fired yet. */
  timers: Set<number>
  /** The browser's original function, which does not count timers. */
  setTimeout: typeof window.setTimeout
  /** The text of constructed style sheets, and the number of their rules then. */
  styles: WeakMap<CSSStyleSheet, { text: string; rules: number }>
}

declare global {
  interface Window {
    __quireWatch?: Watch
  }
}
