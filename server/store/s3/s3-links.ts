import type { S3Client } from '@aws-sdk/client-s3'
import { UnavailableError } from '../../base/unavailable-error.ts'
import type { BundleDownload } from '../../export/jobs/bundle-download.ts'
import type { Sdk } from './s3-client.ts'

/** From when and how long a link should work. `from` is a whole second in milliseconds since 1970. */
export interface LinkSpan {
  from: number
  ttlSeconds: number
}

/** A link to the storage, and when it stops working: a whole second in milliseconds since 1970. */
export interface SignedLink {
  url: string
  expiresAt: number
}

/** Temporary credentials that end sooner are replaced before they sign a link. */
const minLeftSeconds = 60

/**
 * Signs a link to an object, also if there is none. Its answers have the name and the type of the download. It ends with the
 * credentials, if they are temporary and end before `ttlSeconds`.
 *
 * @throws {UnavailableError} when the credentials have ended and no others are to be had.
 */
export async function signLink(
  { getSignedUrl, GetObjectCommand }: Sdk,
  client: S3Client,
  object: { Bucket: string; Key: string },
  { fileName, contentType, from, ttlSeconds }: BundleDownload & LinkSpan,
): Promise<SignedLink> {
  const command = new GetObjectCommand({
    ...object,
    ResponseContentDisposition: `attachment; filename="${fileName}"`,
    ResponseContentType: contentType,
  })
  const leftSeconds = await findLeftSeconds(client, from)
  if (leftSeconds < 1) throw new UnavailableError('storage', 'the temporary credentials have expired')
  const expiresIn = Math.min(ttlSeconds, leftSeconds)
  const url = await getSignedUrl(client, command, { expiresIn, signingDate: new Date(from) })
  return { url, expiresAt: from + expiresIn * 1000 }
}

/** Returns for how many seconds after `from` the credentials of the client work; infinity if they are not temporary. */
async function findLeftSeconds({ config }: S3Client, from: number): Promise<number> {
  const toLeft = ({ expiration }: { expiration?: Date | undefined }) =>
    expiration === undefined ? Infinity : Math.floor((expiration.getTime() - from) / 1000)
  const left = toLeft(await config.credentials())
  if (left >= minLeftSeconds) return left
  // The credentials at hand may still do.
  return config.credentials({ forceRefresh: true }).then(toLeft, () => left)
}
