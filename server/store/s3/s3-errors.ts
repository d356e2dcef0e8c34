import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import { type S3Location, showS3Location } from './s3-location.ts'

/** What is read of an error of the SDK. */
interface S3Failure {
  name?: string
  code?: string
  $metadata?: { httpStatusCode?: number }
}

/** Whether the storage answered that there is no such object. */
export function isMissing(error: unknown): boolean {
  const { name = '', $metadata } = error as S3Failure
  // HEAD has no body, so its error says only 404. A missing bucket is a fault.
  return name !== 'NoSuchBucket' && ($metadata?.httpStatusCode === 404 || name === 'NoSuchKey')
}

/**
 * Converts an error of the SDK. The new error has only the name and the status of the first one, because answers of the storage
 * may repeat the credentials.
 */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError') return error
  return new UnavailableError('storage', nameFailure(error))
}

/** Returns such as `InvalidAccessKeyId 403` or `ECONNREFUSED`. */
export function nameFailure(error: unknown): string {
  const { name = 'Error', code, $metadata } = error as S3Failure
  const status = $metadata?.httpStatusCode
  if (status !== undefined) return `${name} ${status}`
  return code ?? name
}

/** Explains why a bucket cannot be used, if the operator must change something. undefined = it may work later. */
export function explainRefusal(error: unknown, location: S3Location, given = '--bundles'): OperatorError | undefined {
  const { name = '', code, $metadata } = error as S3Failure
  const status = $metadata?.httpStatusCode
  const where = showS3Location(location)
  if (name === 'CredentialsProviderError') {
    return new OperatorError(
      `There are no credentials for ${where}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another source of credentials that AWS programs know.`,
    )
  }
  if (/region is missing/i.test(String((error as Error).message))) {
    return new OperatorError(`The region of ${where} is unknown. Set AWS_REGION, or add ?region=NAME to ${given}.`)
  }
  if (status === 404) {
    return new OperatorError(
      `There is no bucket ${where}, or its endpoint is not an S3 storage. Create the bucket, or correct ${given}.`,
    )
  }
  if (status === 401 || status === 403) {
    return new OperatorError(
      `${where} refuses the credentials (${nameFailure(error)}). Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the permissions of the key.`,
    )
  }
  if (status !== undefined && status >= 300 && status < 500 && status !== 429) {
    return new OperatorError(
      `${where} cannot be used (${nameFailure(error)}). Check the bucket, the region and the endpoint in ${given}.`,
    )
  }
  if (code === 'ENOTFOUND') {
    return new OperatorError(`The host of ${where} is unknown. Check the endpoint and the region in ${given}.`)
  }
  return undefined
}
