import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import { mainDatabase } from '../../store/backup/data-files.ts'
import { listRecordedBundles, type RecordedBundle } from '../../store/backup/recorded-bundles.ts'
import { checkStored } from '../../store/backup/stored-bundles.ts'
import { openBundles } from '../../store/open-bundles.ts'
import { listPostgresBundles } from '../../store/open-postgres.ts'
import { type S3Location, toS3Url } from '../../store/s3/s3-location.ts'
import { type Finding, fail, ok } from './finding.ts'
import { nameJobs } from './name-jobs.ts'

/** Where exports are recorded: in a PostgreSQL database, or else in the data folder. */
interface Records {
  dataFolder: string
  database?: string | undefined
}

/** Checks that S3-compatible storage can be used, and that it has the bundle of each completed export. Changes nothing. */
export async function checkStoredBundles(records: Records, location: S3Location): Promise<Finding[]> {
  const place = toS3Url(location)
  try {
    const opened = await openBundles({ dataFolder: records.dataFolder, location })
    try {
      await opened.check()
      const recorded = await readRecorded(records)
      if (!recorded) return [ok('bundles', `${place} can be used.`)]
      const conditions = await checkStored(opened.bundles, recorded)
      const wrong = recorded.filter(bundle => conditions.get(bundle) !== 'sound').map(({ jobId }) => jobId)
      if (wrong.length === 0)
        return [ok('bundles', `${place} can be used, and has the bundle of each completed export.`)]
      const message = `The bundles of ${wrong.length} of ${recorded.length} completed exports are missing or damaged in ${place}: ${nameJobs(wrong)}.`
      return [
        fail(
          'bundles',
          message,
          'Check the prefix in --bundles. Upload the bundles again, or start the exports again.',
        ),
      ]
    } finally {
      await opened.stop()
    }
  } catch (error) {
    if (error instanceof OperatorError) return [fail('bundles', `${place} cannot be used.`, error.message)]
    if (!(error instanceof UnavailableError)) throw error
    const remedy = 'Check the address in --bundles, the network and the storage. Exports wait until it can be reached.'
    return [fail('bundles', `${place} cannot be reached (${error.code}).`, remedy)]
  }
}

/** Returns undefined if the records cannot be read: the check of the databases reports it. */
async function readRecorded({ dataFolder, database }: Records): Promise<RecordedBundle[] | undefined> {
  const file = join(dataFolder, mainDatabase)
  try {
    if (database !== undefined) return await listPostgresBundles(database)
    return existsSync(file) ? listRecordedBundles(file) : []
  } catch {
    return undefined
  }
}
