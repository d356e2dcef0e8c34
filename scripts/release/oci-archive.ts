import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'

/** A part of what is in an archive, as a manifest names it. */
export interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/** The bytes of a part, or the file that has them. */
type Blob = Descriptor & { content: Buffer | string }

export interface OciManifest {
  config: Descriptor
  layers: Descriptor[]
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'

/** Describes the bytes of a part. */
export function toBlob(mediaType: string, content: Buffer): Blob {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  return { mediaType, digest, size: content.length, content }
}

/** A part without its bytes. */
function describeBlob({ mediaType, digest, size }: Blob): Descriptor {
  return { mediaType, digest, size }
}

/**
 * Writes an image layout of OCI as one file, which `skopeo copy oci-archive:FILE` and `podman load` read. The same parts and time give
 * the same bytes.
 */
export async function writeOciArchive(
  file: string,
  { ref, config, layers, annotations, at }: OciArchive,
): Promise<void> {
  const content = { config: describeBlob(config), layers: layers.map(describeBlob), annotations }
  const manifest = toBlob(manifestType, toJson({ schemaVersion: 2, mediaType: manifestType, ...content }))
  const named = { ...describeBlob(manifest), annotations: { 'org.opencontainers.image.ref.name': ref } }
  const archive = pack()
  const written = pipeline(Readable.from(archive), createWriteStream(file))
  archive.entry({ name: 'oci-layout', mode: 0o644, mtime: at }, toJson({ imageLayoutVersion: '1.0.0' }))
  archive.entry({ name: 'index.json', mode: 0o644, mtime: at }, toJson({ schemaVersion: 2, manifests: [named] }))
  for (const blob of new Map([manifest, config, ...layers].map(blob => [blob.digest, blob])).values())
    await writeBlob(archive, blob, at)
  archive.finalize()
  await written
}

interface OciArchive {
  /** The name of what is in the archive, such as quire:0.2.0. `podman load` takes it for the name of the image. */
  ref: string
  config: Blob
  layers: readonly Blob[]
  annotations: Record<string, string>
  at: Date
}

async function writeBlob(archive: Pack, { digest, size, content }: Blob, at: Date): Promise<void> {
  const header = { name: `blobs/${digest.replace(':', '/')}`, mode: 0o644, mtime: at, size }
  if (typeof content !== 'string') return void archive.entry(header, content)
  const entry = archive.entry(header)
  for await (const part of createReadStream(content)) if (!entry.write(part)) await once(entry, 'drain')
  entry.end(null)
  await once(entry, 'close')
}

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
