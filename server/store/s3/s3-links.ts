import type { S3Client } from '@aws-sdk/client-s3'
import type { BundleDownload } from '../../export/jobs/bundle-download.ts'
import type { Sdk } from './s3-client.ts'

/** From when and how long a link works. `from` is in milliseconds since 1970. */
export interface LinkSpan {
  from: number
  ttlSeconds: number
}

/** Signs a link to an object, also if there is none. Its answers have the name and the type of the download. */
export function signLink(
  { getSignedUrl, GetObjectCommand }: Sdk,
  client: S3Client,
  object: { Bucket: string; Key: string },
  { fileName, contentType, from, ttlSeconds }: BundleDownload & LinkSpan,
): Promise<string> {
  const command = new GetObjectCommand({
    ...object,
    ResponseContentDisposition: `attachment; filename="${fileName}"`,
    ResponseContentType: contentType,
  })
  return getSignedUrl(client, command, { expiresIn: ttlSeconds, signingDate: new Date(from) })
}
