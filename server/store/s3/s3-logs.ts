import { unescape as decode } from 'node:querystring'
import { type LogBucket, LogObjectError } from '../../analytics/import/log-bucket.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { loadSdk, toClientConfig } from './s3-client.ts'
import { explainRefusal, isMissing, nameFailure, toUnavailable } from './s3-errors.ts'
import { listObjects } from './s3-lists.ts'
import { type LocationSource, parseS3Location, type S3Location, showS3Location } from './s3-location.ts'

const given = 'the address of the logs'

/** Keys of logs may begin with anything, also with a part of a name: the prefix is used as it is. */
const ofLogs: LocationSource = {
  given,
  readPrefix: path => decode(path.slice(1)),
}

/**
 * Reads the address of a bucket with logs, like that of the bundles.
 *
 * @throws {OperatorError} wrong usage
 */
export function parseLogsAddress(address: string): S3Location {
  return parseS3Location(address, ofLogs)
}

/**
 * Opens the logs in a bucket. The caller closes it.
 *
 * @throws {OperatorError} when the address is wrong, or the packages of the SDK are not installed.
 */
export async function openS3Logs(address: string): Promise<LogBucket> {
  const location = parseLogsAddress(address)
  const { bucket: Bucket, prefix: Prefix } = location
  const sdk = await loadSdk()
  const client = new sdk.S3Client(toClientConfig(location, 'everything else'))
  const explain = (error: unknown) => {
    const refusal = explainRefusal(error, location, given)
    if (refusal) return refusal
    const message = `${showS3Location(location)} cannot be listed now (${nameFailure(error)}).`
    return new OperatorError(message, 1, { cause: toUnavailable(error) })
  }
  return {
    async *list(StartAfter) {
      const objects = listObjects(sdk, client, { Bucket, Prefix, ...(StartAfter !== '' && { StartAfter }) })
      try {
        for await (const { Key: key = '', Size: sizeBytes = 0, LastModified, ETag: etag = '' } of objects) {
          if (sizeBytes > 0) yield { key, sizeBytes, modifiedAtMs: LastModified?.getTime() ?? 0, etag }
        }
      } catch (error) {
        throw explain(error)
      }
    },
    async *read({ key: Key }) {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }))
        yield* Body as AsyncIterable<Buffer>
      } catch (error) {
        throw explainUnread(error)
      }
    },
    nameOf: ({ key }) => `s3://${Bucket}/${key}`,
    close: () => client.destroy(),
  }
}

/** The new error has only the name of the first one, see `toUnavailable`. */
function explainUnread(error: unknown): LogObjectError {
  if (isMissing(error)) return new LogObjectError('it was deleted after it was listed.', true)
  const failure = nameFailure(error)
  if (failure.startsWith('InvalidObjectState')) {
    return new LogObjectError('it is in an archive of the storage. Restore it, then import it.', true)
  }
  return new LogObjectError(
    / 40[13]$/.test(failure)
      ? `the storage refuses it (${failure}). The credentials need s3:GetObject, and kms:Decrypt if it is encrypted by KMS.`
      : `the storage did not send it to its end (${failure}). Nothing is counted twice when it is read again.`,
    false,
  )
}
