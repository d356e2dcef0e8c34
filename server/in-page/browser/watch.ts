/** State that `watchPage` stores on the window for the other scripts. */
export interface Watch {
  lastChange: number
  /** Elements that a script observes until they are in the viewport. */
  awaited: Set<Element>
  /** Short timers that have not fired yet. */
  timers: Set<number>
  /** The original function of the browser, which does not count timers. */
  setTimeout: typeof window.setTimeout
}

declare global {
  interface Window {
    __quireWatch?: Watch
  }
}
