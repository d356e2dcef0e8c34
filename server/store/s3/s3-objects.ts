import type { Readable } from 'node:stream'
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3'
import { UnavailableError } from '../../base/unavailable-error.ts'
import type { BundleDownload } from '../../export/jobs/bundle-download.ts'
import type { ByteSpan } from '../../export/jobs/bundle-store.ts'
import { type ClientLimits, loadSdk, type Sdk, toClientConfig } from './s3-client.ts'
import { explainRefusal, isMissing, toUnavailable } from './s3-errors.ts'
import { listKeys } from './s3-lists.ts'
import type { S3Location } from './s3-location.ts'
import { abortUploads, type FileUpload, maxParts, uploadFile } from './s3-uploads.ts'

/** What the storage says about an object. */
interface FoundObject {
  sizeBytes: number
  /** Changes when the object is replaced by one with other bytes. */
  etag: string
  /** The checksum that was recorded at the upload; undefined = another program stored the object. */
  sha256: string | undefined
}

/** From when and how long a link should work. `from` is a whole second in milliseconds since 1970. */
interface LinkSpan {
  from: number
  ttlSeconds: number
}

/** A link to the storage, and when it stops working: a whole second in milliseconds since 1970. */
interface SignedLink {
  url: string
  expiresAt: number
}

/** The objects of one bucket whose keys begin with the prefix of the location. Names do not have the prefix. */
export interface S3Objects {
  /** Fails if the bucket cannot be used. */
  check(): Promise<void>
  find(name: string): Promise<FoundObject | undefined>
  read(name: string, span?: ByteSpan): Promise<Readable>
  /** Signs a link to an object, also if there is none. */
  presign(name: string, link: BundleDownload & LinkSpan): Promise<SignedLink>
  /** Uploads a file in parts. When it returns or throws, nothing of the upload goes on, and one that failed has left no parts. */
  write(name: string, upload: FileUpload): Promise<void>
  /** Stores an empty object. */
  mark(name: string): Promise<void>
  copy(from: string, to: string): Promise<void>
  /**
   * Lists the names that begin with `folder` and were stored before a time. Names with another slash behind it are left out.
   *
   * @param folder empty, or with a slash at the end.
   * @param pageSize how many objects one answer of the storage lists.
   */
  list(folder: string, storedBefore: number, pageSize?: number): AsyncIterable<string>
  /** Does nothing if there is no such object. */
  delete(name: string): Promise<void>
  /**
   * Ends the uploads that began before a time and were never finished: their parts cost money. Returns their number.
   *
   * @param isOwn whether an upload with this name may be ended; another program may use the bucket too.
   * @param pageSize how many uploads one answer of the storage lists.
   */
  abortUploads(startedBefore: number, isOwn: (name: string) => boolean, pageSize?: number): Promise<number>
  close(): void
}

/**
 * Opens the storage. Downloads that take all their connections do not keep other requests from the storage. The SDK is loaded now, not when a process starts that does not use S3.
 * The methods throw an `UnavailableError` when the storage does not do what it is asked.
 *
 * @throws {OperatorError} when the packages of the SDK are not installed.
 */
export async function openS3Objects(location: S3Location, ofDownloads: ClientLimits = {}): Promise<S3Objects> {
  const sdk = await loadSdk()
  const { client, downloads, close } = openClients(sdk, location, ofDownloads)
  const Bucket = location.bucket
  const keyOf = (name: string) => location.prefix + name
  return {
    async check() {
      await client.send(new sdk.HeadBucketCommand({ Bucket })).catch(error => {
        throw explainRefusal(error, location) ?? toUnavailable(error)
      })
    },
    async find(name) {
      try {
        const found = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: keyOf(name) }))
        return { sizeBytes: found.ContentLength ?? 0, etag: found.ETag ?? '', sha256: found.Metadata?.sha256 }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw toUnavailable(error)
      }
    },
    async read(name, span) {
      const Range = span && `bytes=${span.first}-${span.last}`
      const found = await downloads.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(name), Range })).catch(rethrow)
      return found.Body as Readable
    },
    presign: (name, link) => signLink(sdk, client, { Bucket, Key: keyOf(name) }, link).catch(rethrow),
    async write(name, upload) {
      await uploadFile(sdk, client, { Bucket, Key: keyOf(name), ...upload }).catch(error => {
        // A file that cannot be read is no fault of the storage.
        if ((error as NodeJS.ErrnoException).path === upload.file) throw error
        rethrow(error)
      })
    },
    async mark(name) {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key: keyOf(name), ContentLength: 0 })).catch(rethrow)
    },
    async copy(from, to) {
      await copyObject(sdk, client, { Bucket, from: keyOf(from), to: keyOf(to) }).catch(rethrow)
    },
    async *list(folder, storedBefore, pageSize = 1000) {
      const wish = { Bucket, Prefix: keyOf(folder), MaxKeys: pageSize }
      try {
        for await (const key of listKeys(sdk, client, wish, storedBefore)) yield key.slice(location.prefix.length)
      } catch (error) {
        rethrow(error)
      }
    },
    async delete(name) {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(name) })).catch(error => {
        if (!isMissing(error)) rethrow(error)
      })
    },
    async abortUploads(startedBefore, isOwn, pageSize = 1000) {
      const wish = { Bucket, Prefix: location.prefix, MaxUploads: pageSize }
      const isOwnKey = (key: string) => isOwn(key.slice(location.prefix.length))
      return await abortUploads(sdk, client, wish, { startedBefore, isOwnKey }).catch(rethrow)
    },
    close,
  }
}

function openClients({ S3Client }: Sdk, location: S3Location, ofDownloads: ClientLimits) {
  const client = new S3Client(toClientConfig(location, 'everything else'))
  const downloads = new S3Client(toClientConfig(location, 'downloads', ofDownloads))
  const close = () => {
    client.destroy()
    downloads.destroy()
  }
  return { client, downloads, close }
}

function rethrow(error: unknown): never {
  throw toUnavailable(error)
}

interface ObjectCopy {
  Bucket: string
  from: string
  to: string
}

/** S3 copies at most 5 GB in one request, but some storage sends no byte before the copy is complete. */
const minCopyPartBytes = 256 * 1024 ** 2

/**
 * Copies an object with its metadata inside the storage. One that is larger than `minPartBytes` is copied in parts; if that fails,
 * no parts are left.
 */
export async function copyObject(
  sdk: Sdk,
  client: S3Client,
  { Bucket, from, to }: ObjectCopy,
  minPartBytes = minCopyPartBytes,
): Promise<void> {
  const CopySource = `${Bucket}/${encodeURIComponent(from)}`
  const { ContentLength = 0, Metadata } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: from }))
  const partBytes = Math.max(minPartBytes, Math.ceil(ContentLength / maxParts))
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
