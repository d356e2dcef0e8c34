/** State that `watchPage` leaves on the window for the other scripts. */
export interface Watch {
  lastChange: number
  /** Elements that a script waits to see in the viewport. */
  awaited: Set<Element>
  /** Short timers that have not fired yet. */
  timers: Set<number>
  /** The browser's own function, which counts no timers. */
  setTimeout: typeof window.setTimeout
}

declare global {
  interface Window {
    __quireWatch?: Watch
  }
}
