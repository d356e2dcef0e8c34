import { createHash } from 'node:crypto'

/** Returns the SHA-256 of a JSON value in hex. The order of fields does not matter: equal values have equal digests. */
export function digestJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(JSON.parse(JSON.stringify(value)))))
    .digest('hex')
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}

/** Returns the SHA-256 in hex. */
export function digest(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Returns the SHA-256 of a text in base64url. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
