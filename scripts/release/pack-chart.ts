import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { parse } from 'yaml'
import type { ReleaseComponent } from './components.ts'
import { toBlob, toJson, writeOciArchive } from './oci-archive.ts'
import type { ReleaseSource } from './source.ts'

/** The charts, by their names. */
const charts = { quire: 'server/deployment/chart', 'quire-host': 'server/host/chart' }

interface PackedChart {
  file: string
  /** The images that its pods run by default. */
  images: ReleaseComponent[]
}

/** Packs all charts, see `packChart`. */
export async function packCharts(source: ReleaseSource, output: string): Promise<PackedChart[]> {
  const packed: PackedChart[] = []
  for (const [name, folder] of Object.entries(charts)) packed.push(await packChart(source, name, folder, output))
  return packed
}

/**
 * Packs a chart as `helm package --version --app-version` does, but the same files give the same bytes. Its name differs from the
 * one that helm gives it, which would be that of the tarball for npm. Beside it, the OCI archive holds what `helm push` makes of it.
 */
async function packChart(source: ReleaseSource, chart: string, path: string, output: string): Promise<PackedChart> {
  const { root, version, committedAt: at } = source
  const folder = join(root, path)
  const about = setVersion(await readFile(join(folder, 'Chart.yaml'), 'utf8'), version)
  const content = gzipSync(await packFiles(chart, folder, about, at), { level: 9 })
  const file = join(output, `${chart}-chart-${version}.tgz`)
  await writeFile(file, content)
  const metadata: { name: string; description: string } = parse(about)
  await writeOciArchive(file.replace(/tgz$/, 'oci.tar'), {
    ref: `${chart}:${version}`,
    config: toBlob('application/vnd.cncf.helm.config.v1+json', toJson(metadata)),
    layers: [toBlob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', content)],
    annotations: {
      'org.opencontainers.image.created': at.toISOString(),
      'org.opencontainers.image.description': metadata.description,
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.version': version,
    },
    at,
  })
  const values: { image: { repository: string } } = parse(await readFile(join(folder, 'values.yaml'), 'utf8'))
  const name = values.image.repository
  const image = {
    name,
    version,
    license: 'Apache-2.0',
    type: 'container',
    purl: `pkg:oci/${name}?tag=${version}`,
  } as const
  return { file, images: [image] }
}

async function packFiles(chart: string, folder: string, about: string, mtime: Date): Promise<Buffer> {
  const archive = pack()
  const names = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map(name => name.replaceAll('\\', '/'))
  // helm reads Chart.yaml first.
  const rest = names.filter(name => name !== 'Chart.yaml').sort()
  for (const name of ['Chart.yaml', ...rest]) {
    const content = name === 'Chart.yaml' ? about : await readFile(join(folder, name))
    archive.entry({ name: `${chart}/${name}`, mode: 0o644, mtime }, content)
  }
  archive.finalize()
  return buffer(archive)
}

function setVersion(chart: string, version: string): string {
  return chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: ${version}`)
}
