import type { BundleLinks } from '../../../server/export/jobs/bundle-link.ts'
import { sha256, toHex } from './sha256.ts'

/** Path prefix of links to bundles, as on the server. */
export const bundlesPath = '/bundles'

/** Creates links like those of the server, with a signature that protects nothing. They expire like those of the server. */
export function createMockLinks({ seed, ttlSeconds }: { seed: string; ttlSeconds: number }): BundleLinks {
  const sign = (path: string, expires: number) =>
    toHex(sha256(new TextEncoder().encode(`${seed}\n${path}\n${expires}`)))
  return {
    expiresAt: now => (Math.floor(now / 1000) + ttlSeconds) * 1000,
    create(jobId, fileName, expiresAt) {
      const expires = expiresAt / 1000
      const path = `${bundlesPath}/${jobId}/${fileName}`
      return `${path}?expires=${expires}&signature=${sign(path, expires)}`
    },
    isValid(requestTarget, now) {
      const [, path = '', expires = '', signature = ''] =
        /^([^?]+)\?expires=(\d{1,12})&signature=([0-9a-f]{64})$/.exec(requestTarget) ?? []
      return signature !== '' && Number(expires) >= Math.floor(now / 1000) && sign(path, Number(expires)) === signature
    },
  }
}
