/** Returns the value of a header. If a header is repeated, returns its first value. */
export function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
