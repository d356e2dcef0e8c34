import { createReadStream } from 'node:fs'
import type { MultipartUpload, S3Client } from '@aws-sdk/client-s3'
import type { Sdk } from './s3-client.ts'

/** A file that becomes an object. */
export interface FileUpload {
  file: string
  sizeBytes: number
  sha256: string
  /** Ends the upload. */
  signal?: AbortSignal | undefined
}

const megabyte = 1024 ** 2
/** S3 allows 10,000 parts, OpenStack Swift 1,000. The memory of an upload is that of its parts. */
const maxParts = 900
const partsAtOnce = 3
const minPartBytes = 8 * megabyte

/** Uploads a file in parts. When it returns or throws, nothing of the upload goes on, and one that failed has left no parts. */
export async function uploadFile(
  sdk: Sdk,
  client: S3Client,
  { Bucket, Key, file, sizeBytes, sha256, signal }: FileUpload & { Bucket: string; Key: string },
): Promise<void> {
  signal?.throwIfAborted()
  const upload = new sdk.Upload({
    client: signal ? endPartsOn(sdk, client, signal) : client,
    partSize: Math.max(minPartBytes, Math.ceil(sizeBytes / maxParts)),
    queueSize: partsAtOnce,
    leavePartsOnError: false,
    // The end of the file ends the upload. With `upload.abort`, `done` would reject while the upload still goes on.
    params: { Bucket, Key, Body: createReadStream(file, { signal }), Metadata: { sha256 } },
  })
  await upload.done()
}

/**
 * Returns a client that ends requests for parts when the signal aborts. All other requests go on to their end: if the one that
 * begins an upload is cut off, nobody knows the id of the upload, so nobody can abort it.
 */
function endPartsOn(sdk: Sdk, client: S3Client, abortSignal: AbortSignal): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) =>
    client.send(command, command instanceof sdk.UploadPartCommand ? { abortSignal } : {})
  return Object.create(client, { send: { value: send } })
}

/** Lists uploads that were begun and neither finished nor aborted, over all pages. */
export async function listUploads(
  sdk: Sdk,
  client: S3Client,
  wish: { Bucket: string; Prefix: string; MaxUploads: number },
): Promise<MultipartUpload[]> {
  const found: MultipartUpload[] = []
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await client.send(new sdk.ListMultipartUploadsCommand({ ...wish, ...markers }))
    found.push(...(page.Uploads ?? []))
    if (!page.IsTruncated || !page.NextKeyMarker) return found
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}
