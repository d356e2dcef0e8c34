import { followBucket } from '../analytics/follow/follow-bucket.ts'
import { type FollowOptions, type FollowStatus, followAccessLog } from '../analytics/follow/follow-log.ts'
import { isBucketAddress } from '../analytics/import/log-bucket.ts'
import { openS3Logs } from '../store/s3/s3-logs.ts'

/**
 * Follows a file, or the objects of a bucket, see `followAccessLog` and `followBucket`.
 *
 * @throws {OperatorError} also when the packages of the SDK are not installed.
 */
export async function followLog(options: FollowOptions & { overlapMs: number }): Promise<FollowStatus> {
  if (!isBucketAddress(options.file)) return followAccessLog(options)
  const bucket = await openS3Logs(options.file)
  try {
    return await followBucket({ ...options, bucket })
  } finally {
    bucket.close()
  }
}
