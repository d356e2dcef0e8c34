import type { Request } from './exchange.ts'

const maxBodyCharacters = 500

/**
 * Writes a request as a curl line for a shell. Secrets are masked, so the line needs the variable `KEY`.
 *
 * @param url the base URL
 */
export function writeCurl(
  url: string,
  { method, target, headers, body }: Request,
  mask: (text: string) => string,
): string {
  const parts = ['curl -i']
  if (/\/\.|\/\//.test(target)) parts.push('--path-as-is')
  if (/[[\]{}]/.test(target)) parts.push('--globoff')
  if (method === 'HEAD') parts.push('-I')
  else if (method !== 'GET' || body !== undefined) parts.push(`-X ${method}`)
  for (const [name, value] of Object.entries(headers)) {
    // curl leaves out a header without a value, unless it ends with a semicolon.
    parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`, mask)}`)
  }
  if (body !== undefined) parts.push(`--data-binary ${quote(shorten(body), mask)}`)
  parts.push(quote(url.replace(/\/+$/, '') + target, mask))
  return parts.join(' ')
}

/** Quotes for a shell, so that it replaces the variable of a masked secret and nothing else. */
function quote(text: string, mask: (text: string) => string): string {
  const masked = mask(text)
  if (masked === text) return `'${text.replaceAll("'", "'\\''")}'`
  return `"${masked.replaceAll(/["\\`]/g, '\\$&').replaceAll(/\$(?![A-Z])/g, '\\$')}"`
}

function shorten(text: string): string {
  const { length } = text
  return length > maxBodyCharacters ? `${text.slice(0, maxBodyCharacters)}... (${length} characters)` : text
}
