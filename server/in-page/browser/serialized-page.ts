// This file uses no DOM, because the renderer imports it, too.

export interface SerializedPage {
  html: string
  /** Address of the document: the base of relative addresses unless a base element changes it. */
  baseUrl: string
}
