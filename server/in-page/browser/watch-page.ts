import { makeRandomRepeatable } from './repeatable-random.ts'
import type { Watch } from './watch.ts'

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
