// This file uses no DOM, because the viewer also imports it.

/** What a visitor sees of a page, and what only scripts of the page can tell. */
export interface SeenPage {
  text: string
  headingText: string
  isTakenOver: boolean
  /** Whether the page has a field or a button of a search. */
  hasSearch: boolean
  /** Addresses of the page's links; empty when nobody asked for them. */
  links: string[]
}
