import type { MultipartUpload, S3Client } from '@aws-sdk/client-s3'
import type { Sdk } from './s3-client.ts'

/** Which uploads, and how many of them in one answer of the storage. */
export interface UploadsWish {
  Bucket: string
  Prefix: string
  MaxUploads: number
}

/**
 * Lists the keys that begin with the prefix, have no slash behind it, and were stored before a time, over all pages.
 */
export async function* listKeys(
  sdk: Sdk,
  client: S3Client,
  wish: { Bucket: string; Prefix: string; MaxKeys: number },
  storedBefore: number,
): AsyncGenerator<string> {
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await client.send(new sdk.ListObjectsV2Command({ ...wish, Delimiter: '/', ContinuationToken }))
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (Key !== undefined && LastModified && LastModified.getTime() < storedBefore) yield Key
    }
    ContinuationToken = page.NextContinuationToken
    if (!page.IsTruncated || ContinuationToken === undefined) return
  }
}

/** Lists uploads that were begun and neither finished nor aborted, over all pages. */
export async function listUploads(sdk: Sdk, client: S3Client, wish: UploadsWish): Promise<MultipartUpload[]> {
  const found: MultipartUpload[] = []
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await client.send(new sdk.ListMultipartUploadsCommand({ ...wish, ...markers }))
    found.push(...(page.Uploads ?? []))
    if (!page.IsTruncated || !page.NextKeyMarker) return found
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}
