import type { _Object as ListedObject, ListObjectsV2CommandInput, MultipartUpload, S3Client } from '@aws-sdk/client-s3'
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
  for await (const { Key, LastModified } of listObjects(sdk, client, { ...wish, Delimiter: '/' })) {
    if (Key !== undefined && LastModified && LastModified.getTime() < storedBefore) yield Key
  }
}

/** Lists objects in the order of their keys, over all pages. */
export async function* listObjects(
  sdk: Sdk,
  client: S3Client,
  wish: ListObjectsV2CommandInput,
): AsyncGenerator<ListedObject> {
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await client.send(new sdk.ListObjectsV2Command({ ...wish, ContinuationToken }))
    yield* page.Contents ?? []
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
