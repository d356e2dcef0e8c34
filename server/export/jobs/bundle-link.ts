import { createHmac, timingSafeEqual } from 'node:crypto'
import { describeDownload } from './bundle-download.ts'
import type { BundleStore } from './bundle-store.ts'
import type { Bundle, ExportJob } from './export-job.ts'

/** The keys that sign links; the operator can replace them while the server runs. */
export interface LinkKeys {
  /** Signs new links. */
  current(): Buffer
  /** Replaced keys, whose links still work. */
  replaced(): readonly ReplacedKey[]
}

export interface ReplacedKey {
  key: Buffer
  /** When the last of its links ends, in milliseconds since 1970. A link that ends later is not one of them. */
  validUntil: number
}

/** Signs a link to a bundle that leads to its storage. `expiresAt` is a whole second in milliseconds since 1970. */
export type PresignLink = (
  job: ExportJob & { bundle: Bundle },
  now: number,
) => Promise<{ url: string; expiresAt: number }>

/** Signs and checks links to bundles. The signature covers the path and the expiry in seconds. */
export type BundleLinks = ReturnType<typeof createBundleLinks>

/** The longest lifetime of a link: 7 days. */
export const maxLinkTtlSeconds = 7 * 24 * 60 * 60

/** Path prefix of links to bundles; see server/http/bundles.ts. */
export const bundlesPath = '/bundles'

export function createBundleLinks({ keys, ttlSeconds }: { keys: LinkKeys; ttlSeconds: number }) {
  return {
    /** Returns when a link of `now` ends, in milliseconds since 1970, a whole second. It works up to and including this time. */
    expiresAt: (now: number) => (Math.floor(now / 1000) + ttlSeconds) * 1000,
    /** Returns path and query of a link that ends at `expiresAt`, without a prefix that a proxy adds. */
    create(jobId: string, fileName: string, expiresAt: number): string {
      const expires = expiresAt / 1000
      const file = `${bundlesPath}/${jobId}/${fileName}`
      return `${file}?expires=${expires}&signature=${sign(keys.current(), file, String(expires))}`
    },
    /**
     * Decides whether `requestTarget` (the undecoded path and query) is a link that this server signed and that has not
     * expired.
     */
    isValid(requestTarget: string, now: number): boolean {
      // Compare the text, not the parsed URL: `%73e_` for `se_`, a repeated parameter or an upper-case digit makes a
      // different link.
      const match = /^([^?]+)\?expires=(\d{1,12})&signature=([0-9a-f]{64})$/.exec(requestTarget)
      if (!match) return false
      const [, path = '', expires = '', signature = ''] = match
      const leftSeconds = Number(expires) - Math.floor(now / 1000)
      // If more than the longest lifetime is left, the clock was set back since. The link would live for too long.
      if (leftSeconds < 0 || leftSeconds > maxLinkTtlSeconds) return false
      const isSignedBy = (key: Buffer) => timingSafeEqual(Buffer.from(signature), Buffer.from(sign(key, path, expires)))
      if (isSignedBy(keys.current())) return true
      return keys.replaced().some(({ key, validUntil }) => Number(expires) * 1000 <= validUntil && isSignedBy(key))
    },
  }
}

/** Returns the function that signs links which lead to the storage; undefined = the store has no such links. */
export function createPresignLink(
  { presign }: Pick<BundleStore, 'presign'>,
  ttlSeconds: number,
): PresignLink | undefined {
  if (!presign) return undefined
  return async (job, now) => {
    const from = Math.floor(now / 1000) * 1000
    return presign(job.bundle.fileName, describeDownload(job), { from, ttlSeconds })
  }
}

function sign(key: Buffer, path: string, expires: string): string {
  return createHmac('sha256', key).update(`${path}\n${expires}`).digest('hex')
}
