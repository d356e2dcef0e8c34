import { createReadStream } from 'node:fs'
import type { MultipartUpload, S3Client } from '@aws-sdk/client-s3'
import type { Sdk } from './s3-client.ts'
import { isMissing } from './s3-errors.ts'
import { listUploads, type UploadsWish } from './s3-lists.ts'

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
export const maxParts = 900
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

/** Ends uploads of this program that began before a time and were never finished. Returns their number. */
export async function abortUploads(
  sdk: Sdk,
  client: S3Client,
  wish: UploadsWish,
  { startedBefore, isOwnKey }: { startedBefore: number; isOwnKey(key: string): boolean },
): Promise<number> {
  const isOld = ({ Initiated }: MultipartUpload) => Initiated !== undefined && Initiated.getTime() < startedBefore
  const uploads = await listUploads(sdk, client, wish)
  const old = uploads.filter(upload => isOld(upload) && isOwnKey(String(upload.Key)))
  for (const { Key, UploadId } of old) {
    await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: wish.Bucket, Key, UploadId })).catch(error => {
      // It was finished or aborted since it was listed.
      if (!isMissing(error)) throw error
    })
  }
  return old.length
}
