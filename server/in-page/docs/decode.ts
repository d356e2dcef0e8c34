/** Returns the text as it is where it is not well encoded, such as `%`. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
