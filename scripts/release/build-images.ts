import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'
import type { ReleaseComponent } from './components.ts'
import { readDebianPackages } from './debian-packages.ts'
import { type Descriptor, type OciManifest, toBlob, toJson, writeOciArchive } from './oci-archive.ts'
import type { ReleaseSource } from './source.ts'

const images = { host: 'quire', server: 'quire-server' }

interface BuiltImage {
  file: string
  /** Of Debian. */
  packages: ReleaseComponent[]
}

/**
 * Builds both images of the binary for linux-x64 with podman, and writes them as OCI archives. The same packages of Debian give the
 * same bytes; a later day has others.
 *
 * @param base in place of the image that the Containerfile begins with.
 */
export async function buildImages(source: ReleaseSource, output: string, base?: string): Promise<BuiltImage[]> {
  await podman('--version').catch(() => {
    throw new OperatorError('The images need podman, which is not installed. Leave out --images.')
  })
  const built: BuiltImage[] = []
  for (const [target, name] of Object.entries(images)) {
    console.error(`Building the image ${name} ...`)
    const tag = `localhost/${name}:${source.version}`
    await buildImage(source, { target, tag, context: output, base })
    built.push(await saveImage(source.committedAt, tag, join(output, `${name}-image-${source.version}.oci.tar`)))
  }
  return built
}

async function buildImage(
  { root, version, commit, committedAt, repository }: ReleaseSource,
  { target, tag, context, base }: { target: string; tag: string; context: string; base: string | undefined },
): Promise<void> {
  const values = [`VERSION=${version}`, `REVISION=${commit ?? 'unknown'}`, `SOURCE=${repository ?? 'unknown'}`]
  if (base !== undefined) values.push(`BASE=${base}`)
  const given = values.map(value => `--build-arg=${value}`)
  const time = String(Math.floor(committedAt.getTime() / 1000))
  const file = join(root, 'server/deployment/Containerfile')
  // OCI knows no health checks, so only the other format keeps them for `saveImage`.
  // The packages are those of today, not those of an earlier build.
  const how = ['--format=docker', '--no-cache', '--network=host', `--timestamp=${time}`, ...given]
  await podman('build', ...how, `--file=${file}`, `--target=${target}`, `--tag=${tag}`, context)
}

/** Writes an image with the health check where Docker looks for it, and lists its packages. */
async function saveImage(at: Date, tag: string, file: string): Promise<BuiltImage> {
  const [{ Healthcheck }] = JSON.parse(await podman('image', 'inspect', tag))
  const folder = await mkdtemp(join(tmpdir(), 'quire-image-'))
  try {
    await podman('save', '--format=oci-dir', `--output=${folder}`, tag)
    const blobFile = ({ digest }: Descriptor) => join(folder, 'blobs', digest.replace(':', '/'))
    const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
    const manifest: OciManifest = await readJson(blobFile((await readJson(join(folder, 'index.json'))).manifests[0]))
    const about = await readJson(blobFile(manifest.config))
    const config = toBlob(manifest.config.mediaType, toJson({ ...about, config: { ...about.config, Healthcheck } }))
    const layers = manifest.layers.map(layer => ({ ...layer, content: blobFile(layer) }))
    await writeOciArchive(file, { ref: tag, config, layers, annotations: {}, at })
    return { file, packages: await readDebianPackages(manifest.layers.map(blobFile)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function podman(...args: string[]): Promise<string> {
  return (await promisify(execFile)('podman', args, { maxBuffer: 64 * 1024 * 1024 })).stdout
}

/** Whether a file of a release is an image, or says something of one. */
export function isOfImage(name: string): boolean {
  return /-images?-\d+\.\d+\.\d+\./.test(name)
}
