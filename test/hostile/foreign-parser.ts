/** A parser of foreign text, and the texts before the repeated fragments that lead it to its parts. */
export interface ForeignParser {
  parse(text: string): unknown
  /** Texts before the fragments. */
  after: readonly string[]
}
