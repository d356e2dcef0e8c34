import { createHmac, timingSafeEqual } from 'node:crypto'

export interface BundleLink {
  url: string
  /** Milliseconds since 1970, a whole second. The link works up to and including this time. */
  expiresAt: number
}

/** Signs and checks links to bundles. The signature covers the path and the expiry in seconds. */
export interface BundleLinks {
  create(jobId: string, fileName: string, now: number): BundleLink
  /**
   * Decides whether `requestTarget` (the undecoded path and query) is a link that this server signed and that has not
   * expired.
   */
  isValid(requestTarget: string, now: number): boolean
}

/** The longest lifetime of a link: 7 days. */
export const maxLinkTtlSeconds = 7 * 24 * 60 * 60

/** Path prefix of links to bundles; see server/http/bundles.ts. */
export const bundlesPath = '/bundles'

export function createBundleLinks(options: { key: Buffer; publicUrl: string; ttlSeconds: number }): BundleLinks {
  const sign = (path: string, expires: string) =>
    createHmac('sha256', options.key).update(`${path}\n${expires}`).digest('hex')

  return {
    create(jobId, fileName, now) {
      const expires = Math.floor(now / 1000) + options.ttlSeconds
      const path = `${bundlesPath}/${jobId}/${fileName}`
      const query = `expires=${expires}&signature=${sign(path, String(expires))}`
      return { url: `${options.publicUrl}${path}?${query}`, expiresAt: expires * 1000 }
    },
    isValid(requestTarget, now) {
      // Compare the text, not the parsed URL: `%73e_` for `se_`, a repeated parameter or an upper-case digit makes a
      // different link.
      const match = /^([^?]+)\?expires=(\d{1,12})&signature=([0-9a-f]{64})$/.exec(requestTarget)
      if (!match) return false
      const [, path = '', expires = '', signature = ''] = match
      const expected = Buffer.from(sign(path, expires))
      const leftSeconds = Number(expires) - Math.floor(now / 1000)
      // If more than the longest lifetime is left, the clock was set back since. The link would live for too long.
      const isCurrent = leftSeconds >= 0 && leftSeconds <= maxLinkTtlSeconds
      return timingSafeEqual(Buffer.from(signature), expected) && isCurrent
    },
  }
}
