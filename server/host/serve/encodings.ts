import { type Encoding, encodings } from '../versions/version.ts'

/** The encodings that a client accepts, best first; one text, so that it can be part of a key. */
export type Accepted = '' | 'br' | 'gzip' | 'br gzip'

/** Browsers and programs send few different headers. */
const maxRemembered = 200
const remembered = new Map<string, Accepted>()

/** Reads an `Accept-Encoding` header (RFC 9110, 12.5.3). */
export function readAccepted(header: string | undefined): Accepted {
  if (header === undefined || header === '') return ''
  const known = remembered.get(header)
  if (known !== undefined) return known
  const accepted = encodings.filter(encoding => isAccepted(header, encoding)).join(' ') as Accepted
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(header, accepted)
  return accepted
}

function isAccepted(header: string, encoding: Encoding): boolean {
  const parts = header
    .toLowerCase()
    .split(',')
    .map(part => part.trim().split(/\s*;\s*/))
  const named = parts.find(([name]) => name === encoding || (encoding === 'gzip' && name === 'x-gzip'))
  const [, ...parameters] = named ?? parts.find(([name]) => name === '*') ?? ['', 'q=0']
  const weight = parameters.find(parameter => parameter.startsWith('q='))
  return weight === undefined || Number(weight.slice(2)) > 0
}
