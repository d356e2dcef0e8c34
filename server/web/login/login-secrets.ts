import { decodeComponent } from '../../base/path-names.ts'
import type { RecordedLogin } from './recorded-login.ts'

/** The values of a login that must stay out of everything that an export writes. */
export type LoginSecrets = ReturnType<typeof createLoginSecrets>

const replacement = 'removed-login-value'

/**
 * Collects the secrets of a login. Other values, such as a colour or the last page read, must stay in pages: they are words and
 * paths that the site needs.
 */
export function createLoginSecrets({ cookies, storage, headers }: RecordedLogin) {
  const names = new Map<string, string>()

  function add(name: string, value: string, isHidden: boolean): void {
    if (!isSecret(name, value, isHidden)) return
    for (const spelling of new Set([value, decodeComponent(value) ?? value, encodeURIComponent(value)]))
      names.set(spelling, name)
  }

  /** Local storage often has JSON. */
  function addStored(name: string, value: unknown): void {
    if (typeof value === 'string') {
      const parsed = parse(value)
      if (parsed === undefined) add(name, value, false)
      else addStored(name, parsed)
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) addStored(`${name} ${key}`, inner)
  }

  for (const { name, value, httpOnly } of cookies) add(name, value, httpOnly)
  for (const [name, value] of Object.entries(storage)) addStored(name, value)
  for (const sent of Object.values(headers))
    for (const [name, value] of Object.entries(sent)) add(name, value.replace(/^\w+ /, ''), true)
  return {
    /** Adds a value that the site sent. `name` is what messages call it. */
    add,
    /** Replaces the values in a text of any encoding that extends ASCII. Returns the same buffer if it has none. */
    redact(bytes: Buffer): Buffer {
      const found = [...names.keys()].filter(value => bytes.includes(value))
      if (found.length === 0) return bytes
      const text = found.reduce((text, value) => text.replaceAll(value, replacement), bytes.toString('latin1'))
      return Buffer.from(text, 'latin1')
    },
    /** Returns the name of a value that the text contains; null = none. */
    find: (bytes: Buffer): string | null => [...names].find(([value]) => bytes.includes(value))?.[1] ?? null,
  }
}

/** Decides whether a value is a secret, and no setting that pages may contain as well. */
function isSecret(name: string, value: string, isHidden: boolean): boolean {
  if (!/^[!-~]{8,}$/.test(value) || /^https?:|^\//.test(value)) return false
  if (isHidden) return value.length >= 24 || /\d/.test(value)
  const isNamed = /token|secret|auth(?!or)|sess|jwt|[cx]srf|credential|passw|api[-_]?key/i.test(name)
  if (isNamed) return value.length >= 16 || /\d/.test(value)
  return /^[\w+=.~-]{20,}$/.test(value) && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
}

function parse(text: string): unknown {
  if (!/^["[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
