// This file uses no DOM, because the renderer also imports it.

export interface SerializedPage {
  html: string
  /** Address of the document: the base of relative addresses unless the page has a base element. */
  baseUrl: string
}
