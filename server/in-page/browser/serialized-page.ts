// No DOM in this file: the renderer reads it, too.

export interface SerializedPage {
  html: string
  /** Address of the document, which relative addresses are relative to before any base element. */
  baseUrl: string
}
