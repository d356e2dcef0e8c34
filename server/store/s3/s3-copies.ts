import type { CompletedPart, S3Client } from '@aws-sdk/client-s3'
import type { Sdk } from './s3-client.ts'
import { maxParts } from './s3-uploads.ts'

export interface ObjectCopy {
  Bucket: string
  from: string
  to: string
}

/** S3 copies at most 5 GB in one request, but some storage sends no byte before the copy is complete. */
const minPartBytes = 256 * 1024 ** 2

/**
 * Copies an object with its metadata inside the storage. One that is larger than `smallestPartBytes` is copied in parts; if that fails,
 * no parts are left.
 */
export async function copyObject(
  sdk: Sdk,
  client: S3Client,
  { Bucket, from, to }: ObjectCopy,
  smallestPartBytes = minPartBytes,
): Promise<void> {
  const CopySource = `${Bucket}/${encodeURIComponent(from)}`
  const { ContentLength = 0, Metadata } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: from }))
  const partBytes = Math.max(smallestPartBytes, Math.ceil(ContentLength / maxParts))
  if (ContentLength <= partBytes) {
    await client.send(new sdk.CopyObjectCommand({ Bucket, Key: to, CopySource }))
    return
  }
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key: to, Metadata }))
  const upload = { Bucket, Key: to, UploadId }
  try {
    const Parts: CompletedPart[] = []
    for (let first = 0; first < ContentLength; first += partBytes) {
      const PartNumber = Parts.length + 1
      const CopySourceRange = `bytes=${first}-${Math.min(first + partBytes, ContentLength) - 1}`
      const part = { ...upload, PartNumber, CopySource, CopySourceRange }
      const { CopyPartResult } = await client.send(new sdk.UploadPartCopyCommand(part))
      Parts.push({ PartNumber, ETag: CopyPartResult?.ETag })
    }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {})
    throw error
  }
}
