/** Decides whether an `If-None-Match` header names an ETag, by the weak comparison (RFC 9110, 13.1.2). */
export function matchesAny(header: string, etag: string): boolean {
  if (header === etag || header === '*') return true
  return header.split(',').some(part => part.trim().replace(/^W\//, '') === etag)
}

/** Decides whether an `If-Range` header names an ETag. A weak tag and a date never do (RFC 9110, 13.1.5). */
export function matchesStrongly(header: string, etag: string): boolean {
  return header.trim() === etag
}
