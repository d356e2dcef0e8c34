/** Cuts a text to at most this many UTF-16 units, with a mark at its end. */
export function shorten(text: string, max: number, mark = '…'): string {
  return text.length <= max ? text : text.slice(0, max - mark.length).toWellFormed() + mark
}
