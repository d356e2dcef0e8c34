import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { ReleaseSource } from './source.ts'

/**
 * Packs the chart as `helm package --version --app-version` does, but the same files give the same bytes. Its name differs from the
 * one that helm gives it, which would be that of the tarball for npm.
 *
 * @returns the path of the file.
 */
export async function packChart({ root, version, committedAt }: ReleaseSource, output: string): Promise<string> {
  const folder = join(root, 'server/deployment/chart')
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
    archive.entry({ name: `quire/${name}`, mode: 0o644, mtime: committedAt }, content)
  }
  archive.finalize()
  const file = join(output, `quire-chart-${version}.tgz`)
  await writeFile(file, gzipSync(await buffer(archive), { level: 9 }))
  return file
}

function setVersion(chart: string, version: string): string {
  return chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: ${version}`)
}
