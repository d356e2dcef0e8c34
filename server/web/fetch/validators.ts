/** What tells whether a file is still the one that was fetched (RFC 9110, 8.8). */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** About the transport, about this one answer, or a secret of the visitor: they change although the content does not. */
const passing =
  /^(age|alt-svc|cache-control|connection|content-encoding|content-length|date|etag|expires|keep-alive|last-modified|link|nel|priority|proxy-.*|report-to|reporting-endpoints|server|server-timing|set-cookie|strict-transport-security|trailer|transfer-encoding|vary|via|warning|x-amz-.*|x-cache.*|x-powered-by|x-ratelimit-.*|x-runtime|x-served-by|x-timer|cf-.*|.*-ray|.*(request|trace|correlation)-?id)$/

/** The headers that say something about the content: what a page in a browser may depend on. */
export function lastingHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !passing.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** A file may change twice within the second that Last-Modified counts in (RFC 9110, 8.8.2.2). */
const settledMs = 2000

export function readValidators(headers: Record<string, string>): Validators {
  const { etag = null, 'last-modified': lastModified = null, date } = headers
  const isSettled = lastModified !== null && Date.parse(date ?? '') - Date.parse(lastModified) >= settledMs
  return { etag, lastModified: isSettled ? lastModified : null }
}

/** The headers of a request that is answered with 304 when nothing changed; none without validators. */
export function conditions({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}
