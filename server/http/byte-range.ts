/**
 * Returns the `Range` header that applies to a request. It is defined for GET only, and a weak tag in `If-Range` never matches
 * (RFC 9110, 13.1.5 and 14.2).
 */
export function findRange(
  method: string,
  { range, 'if-range': ifRange }: { range?: string | undefined; 'if-range'?: string | undefined },
): string | undefined {
  return method === 'GET' && !/^\s*W\//.test(ifRange ?? '') ? range : undefined
}

/**
 * Corrects a `Range` header where the `range-parser` package violates RFC 9110, 14.1. A suffix longer than the file means the whole
 * file. A range that ends before it begins is ignored (undefined).
 */
export function correctRange(range: string | undefined, sizeBytes: number): string | undefined {
  const [, unit = '', list = ''] = /^\s*(\w+)\s*=(.*)$/.exec(range ?? '') ?? []
  if (unit.toLowerCase() !== 'bytes') return range
  const parts = list.split(',').map(part => part.trim())
  const isReversed = parts.some(part => {
    const [, first = '', last = ''] = /^(\d+)\s*-\s*(\d+)$/.exec(part) ?? []
    return first !== '' && isLarger(first, last)
  })
  if (isReversed) return undefined
  return `bytes=${parts.map(part => (isWhole(part, sizeBytes) ? '0-' : part)).join(',')}`
}

/** Compares as text, because a number may have more digits than JavaScript can count with. */
function isLarger(a: string, b: string): boolean {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length === right.length ? left > right : left.length > right.length
}

function isWhole(part: string, sizeBytes: number): boolean {
  const suffix = /^-\s*(\d+)$/.exec(part)?.[1]
  return suffix !== undefined && sizeBytes > 0 && Number(suffix) >= sizeBytes
}
