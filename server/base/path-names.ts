/** Decodes a part of a URL; null if its percent-encoding is not valid. */
export function decodeComponent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Returns the same text for names that a file system may confuse because it ignores case or normalizes Unicode. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}
