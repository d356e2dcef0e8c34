// This file uses no DOM, because code outside of pages also imports it.

/** How to find an API reference in a page after its scripts have run, and what to do with it. Selectors are CSS selectors. */
export interface ReferenceSigns {
  /** Elements that contain the reference. The outermost match counts. */
  roots: readonly string[]
  /** Attributes of such elements by which the product shows everything on one page, or shows no console. */
  attributes?: readonly (readonly [selector: string, name: string, value: string])[]
  /** Collapsed parts that a click opens, besides `details` and elements with aria-expanded. */
  collapsed?: readonly string[]
  /** Buttons of pop-ups that look like collapsed parts. */
  popups?: readonly string[]
  /** Panels of tabs that are in the page but not displayed. Each follows a row with one button per panel. */
  panels?: readonly string[]
  /** Parts that send requests or take input for them, by their name in plain words. */
  consoles: Readonly<Record<string, readonly string[]>>
}

/** The signs of a product. */
export interface NamedReference extends ReferenceSigns {
  name: string
}

/** An API reference in a page, without the parts that send requests. */
export interface FrozenReference {
  name: string
  /** The text of the reference. */
  text: string
  /** Names of the removed parts, sorted. */
  removed: string[]
}
