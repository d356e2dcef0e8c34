import { OperatorError } from '../base/operator-error.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { BundlesFlags } from '../flags/shared-settings.ts'
import type { StoredBundles } from '../store/backup/stored-bundles.ts'
import { openBundles } from '../store/open-bundles.ts'
import { toS3Url } from '../store/s3/s3-location.ts'

/**
 * Opens the store of the bundles for a command, and closes it afterwards.
 *
 * @throws {OperatorError} when the storage cannot be used.
 */
export async function withBundles<T>(flags: BundlesFlags, work: (bundles: BundleStore) => Promise<T>): Promise<T> {
  const opened = await openBundles({ dataFolder: flags.data, location: flags.bundles })
  try {
    return await work(opened.bundles)
  } catch (error) {
    if (!(error instanceof UnavailableError && error.reason === 'storage')) throw error
    throw new OperatorError(`${error.message} Check --bundles and the credentials, or try again later.`)
  } finally {
    await opened.stop()
  }
}

/** The same for a command that only checks bundles. Passes undefined when they are in the data folder. */
export async function withStoredBundles<T>(
  flags: BundlesFlags,
  work: (stored: StoredBundles | undefined) => Promise<T>,
): Promise<T> {
  const { bundles: location } = flags
  if (!location) return work(undefined)
  return withBundles(flags, ({ check }) => work({ place: toS3Url(location), check }))
}
