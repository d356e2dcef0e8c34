import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect, onTestFinished, test } from 'vitest'
import { readDebianPackages } from '../../../scripts/release/debian-packages.ts'

const about = (name: string, version: string, status = 'install ok installed') =>
  `Package: ${name}\nStatus: ${status}\nArchitecture: amd64\nVersion: ${version}\nDescription: a\n Version: no field\n`

async function writeLayer(name: string, files: Record<string, string>): Promise<string> {
  const archive = pack()
  for (const [path, content] of Object.entries(files)) archive.entry({ name: path }, content)
  archive.finalize()
  writeFileSync(name, gzipSync(await buffer(archive)))
  return name
}

test('the packages are those that the last layer with a list calls installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-layers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const list = [about('tini', '0.19'), about('gone', '1', 'deinstall ok config-files'), about('libstdc++6', '1:2~a+b')]
  const layers = [
    await writeLayer(join(folder, '1'), { 'var/lib/dpkg/status': about('old', '1') }),
    await writeLayer(join(folder, '2'), { 'etc/a': 'a', 'var/lib/dpkg/status': list.join('\n') }),
    await writeLayer(join(folder, '3'), { 'usr/local/bin/quire': 'a program' }),
  ]
  expect(await readDebianPackages(layers)).toEqual([
    {
      name: 'libstdc++6',
      version: '1:2~a+b',
      license: 'unknown',
      purl: 'pkg:deb/debian/libstdc%2B%2B6@1%3A2~a%2Bb?arch=amd64',
    },
    { name: 'tini', version: '0.19', license: 'unknown', purl: 'pkg:deb/debian/tini@0.19?arch=amd64' },
  ])
})
