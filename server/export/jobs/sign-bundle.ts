import { readSigningKey, signArchive } from '../../base/signature.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { Bundle, ExportJob } from './export-job.ts'

/** Signs the bundle of a job with the present key of its site; null = the site has none. */
export type SignBundle = (job: ExportJob & { bundle: Bundle }) => Promise<string | null>

/**
 * Creates the function that signs bundles when they are sent. So a key counts for earlier exports too, and a replaced key signs
 * nothing more. The time is that of the export, and the same job and key give the same signature.
 *
 * @param secrets decrypts the key of a site.
 */
export function createBundleSigner(
  sites: Pick<Sites, 'findOwned' | 'findSigningKey'>,
  secrets: { open(domain: string, sealed: Uint8Array): string },
): SignBundle {
  return async ({ organizationId, request: { domain }, bundle, updatedAt }) => {
    const site = await sites.findOwned(organizationId, domain)
    const key = site && (await sites.findSigningKey(domain))
    if (!key) return null
    const pem = secrets.open(domain, key.sealed)
    return signArchive(bundle, updatedAt, readSigningKey(pem, `the signing key of ${domain}`))
  }
}
