import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { ReleaseSource } from './source.ts'

/** The charts, by their names. */
const charts = { quire: 'server/deployment/chart', 'quire-host': 'server/host/chart' }

/** Packs all charts, see `packChart`. */
export async function packCharts(source: ReleaseSource, output: string): Promise<void> {
  for (const [name, folder] of Object.entries(charts)) await packChart(source, name, folder, output)
}

/**
 * Packs a chart as `helm package --version --app-version` does, but the same files give the same bytes. Its name differs from the
 * one that helm gives it, which would be that of the tarball for npm.
 */
async function packChart(
  { root, version, committedAt }: ReleaseSource,
  chart: string,
  path: string,
  output: string,
): Promise<void> {
  const folder = join(root, path)
  const archive = pack()
  const names = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map(name => name.replaceAll('\\', '/'))
  // helm reads Chart.yaml first.
  const rest = names.filter(name => name !== 'Chart.yaml').sort()
  for (const name of ['Chart.yaml', ...rest]) {
    const text = await readFile(join(folder, name))
    const content = name === 'Chart.yaml' ? setVersion(text.toString('utf8'), version) : text
    archive.entry({ name: `${chart}/${name}`, mode: 0o644, mtime: committedAt }, content)
  }
  archive.finalize()
  await writeFile(join(output, `${chart}-chart-${version}.tgz`), gzipSync(await buffer(archive), { level: 9 }))
}

function setVersion(chart: string, version: string): string {
  return chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: ${version}`)
}
