import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import type { ReleaseComponent } from './components.ts'

/** Where dpkg lists what is installed. */
const statusFile = 'var/lib/dpkg/status'

/** Lists the packages of Debian in an image whose layers, compressed with gzip, are these files. */
export async function readDebianPackages(layers: readonly string[]): Promise<ReleaseComponent[]> {
  let status = ''
  for (const layer of layers) status = (await readFileOfLayer(layer, statusFile)) ?? status
  return parseStatus(status)
}

async function readFileOfLayer(layer: string, wanted: string): Promise<string | undefined> {
  const archive = extract()
  const fed = pipeline(createReadStream(layer), createGunzip(), archive)
  let found: string | undefined
  for await (const entry of archive) {
    if (entry.header.name === wanted) found = await text(entry)
    else entry.resume()
  }
  await fed
  return found
}

/** Reads the list of dpkg. The licenses are not in it. */
function parseStatus(status: string): ReleaseComponent[] {
  const packages = status.split(/\n{2,}/).flatMap(paragraph => {
    const field = (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(paragraph)?.[1]
    const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')]
    if (name === undefined || version === undefined || field('Status') !== 'install ok installed') return []
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`
    return [{ name, version, license: 'unknown', purl }]
  })
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1))
}
