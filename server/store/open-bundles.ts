import { join } from 'node:path'
import type { Stoppable } from '../base/background.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { NoteDamage, ReportBundle } from './bundle-check.ts'
import { openBundleFiles } from './bundle-files.ts'
import { openLostFolder } from './lost-files.ts'
import type { S3Location } from './s3/s3-location.ts'

export interface BundlesOptions {
  dataFolder: string
  /** Undefined = the folder `bundles` in the data folder. */
  location: S3Location | undefined
  report?: ReportBundle
  noteDamage?: NoteDamage
}

/** An open store of bundles. */
export interface OpenBundles extends Stoppable {
  bundles: BundleStore
  /** Fails if the bundles cannot be stored now: an `OperatorError` if the operator must change something. */
  check(): Promise<void>
}

/**
 * Opens the store of the bundles: a folder, or S3-compatible storage. Nothing is requested from the storage yet.
 *
 * @throws {OperatorError} when the packages for S3 are not installed.
 */
export async function openBundles({ dataFolder, location, report, noteDamage }: BundlesOptions): Promise<OpenBundles> {
  const lost = openLostFolder(dataFolder)
  if (!location) {
    const bundles = openBundleFiles(join(dataFolder, 'bundles'), lost, report, noteDamage)
    return { bundles, check: async () => {}, stop() {} }
  }
  const [{ openS3Objects }, { openS3Bundles }] = await Promise.all([
    import('./s3/s3-objects.ts'),
    import('./s3/s3-bundles.ts'),
  ])
  const objects = await openS3Objects(location)
  return {
    bundles: openS3Bundles(objects, lost, report, noteDamage),
    check: objects.check,
    stop: objects.close,
  }
}

/** Checks the store before the server listens. Storage that is down now may be up later, so the server starts all the same. */
export async function checkBundles(
  { check }: Pick<OpenBundles, 'check'>,
  log: { error(details: object, message: string): void },
): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    log.error({ err: error }, 'the storage of the bundles cannot be reached; exports wait for it')
  }
}
