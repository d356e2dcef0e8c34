import type { Deployment } from '../../products/features.ts'

/** Returns the headers of all answers of a site but its policy: names and values, one after the other. */
export function writeSiteHeaders(deployment: Deployment): string[] {
  return [
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', deployment === 'air-gapped' ? 'same-origin' : 'strict-origin-when-cross-origin'],
    // Chromium would look up the names of all links.
    ...['X-DNS-Prefetch-Control', 'off'],
  ]
}
