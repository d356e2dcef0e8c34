/** An answer that is the same for each request of its key. */
export interface Answer {
  status: 200 | 302 | 404
  /** Names and values, one after the other, as `writeHead` of Node takes them. */
  headers: readonly string[]
  /** null = conditions and ranges do not apply. */
  etag: string | null
  sizeBytes: number
  /** null = the body is read from `file` for each request. */
  body: Buffer | null
  file: string
}
