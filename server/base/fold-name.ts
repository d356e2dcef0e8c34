/** Returns the same text for names that a file system may confuse because it ignores case or normalizes Unicode. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}
