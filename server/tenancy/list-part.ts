/** Which rows of a long list to read. */
export interface ListPart {
  /** Only rows with this text in a name, an id, a domain or the last characters of a key, in upper or lower case; '' = all rows. */
  contains: string
  limit: number
  /** How many rows to leave out at the start. */
  offset: number
}

/** A part of a long list, and how many rows contain the text. */
export interface Listed<Row> {
  rows: Row[]
  count: number
}
