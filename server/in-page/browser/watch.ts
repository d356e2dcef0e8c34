/** State that `watchPage` stores on the window for the other scripts. */
export interface Watch {
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
