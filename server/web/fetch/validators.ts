/** Values that detect whether a file has changed since it was fetched (RFC 9110, 8.8). */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** Secrets, and headers about the transport or one answer only. These headers change although the content does not. */
const unrelated =
  /^(age|alt-svc|cache-control|connection|content-encoding|content-length|date|etag|expires|keep-alive|last-modified|link|nel|priority|proxy-.*|report-to|reporting-endpoints|server|server-timing|set-cookie|strict-transport-security|trailer|transfer-encoding|vary|via|warning|x-amz-.*|x-cache.*|x-powered-by|x-ratelimit-.*|x-runtime|x-served-by|x-timer|cf-.*|.*-ray|.*(request|trace|correlation)-?id)$/

/** A file may change twice within one second, the resolution of Last-Modified (RFC 9110, 8.8.2.2). */
const settledMs = 2000

/** Returns the headers that describe the content, sorted by name. A page in a browser may depend on them. */
export function lastingHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !unrelated.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export function readValidators(headers: Record<string, string>): Validators {
  const { etag = null, 'last-modified': lastModified = null, date } = headers
  const isSettled = lastModified !== null && Date.parse(date ?? '') - Date.parse(lastModified) >= settledMs
  return { etag, lastModified: isSettled ? lastModified : null }
}

/** Returns the request headers that make a server answer 304 if nothing has changed. Returns none without validators. */
export function conditions({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}
