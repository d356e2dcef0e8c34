import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { extract } from 'tar-stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { toBlob, writeOciArchive } from '../../../scripts/release/oci-archive.ts'

const at = new Date(1_700_000_000_000)
const config = toBlob('application/vnd.oci.image.config.v1+json', Buffer.from('{}'))
const layer = toBlob('application/vnd.oci.image.layer.v1.tar+gzip', Buffer.from('the files'))

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-oci-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

async function readArchive(file: string): Promise<Map<string, string>> {
  const archive = extract()
  archive.end(readFileSync(file))
  const files = new Map<string, string>()
  for await (const entry of archive) files.set(entry.header.name, await text(entry))
  return files
}

test('an archive has a name, and each part by the digest of its bytes', async () => {
  const file = join(folder, 'a.tar')
  await writeOciArchive(file, { ref: 'quire:1.2.3', config, layers: [layer], annotations: { a: 'b' }, at })
  const files = await readArchive(file)
  expect(JSON.parse(files.get('oci-layout') ?? '')).toEqual({ imageLayoutVersion: '1.0.0' })
  const [named] = JSON.parse(files.get('index.json') ?? '').manifests
  expect(named.annotations).toEqual({ 'org.opencontainers.image.ref.name': 'quire:1.2.3' })
  const read = (digest: string) => files.get(`blobs/${digest.replace(':', '/')}`) ?? ''
  const manifest = JSON.parse(read(named.digest))
  expect(manifest.annotations).toEqual({ a: 'b' })
  expect(manifest.layers).toEqual([{ mediaType: layer.mediaType, digest: layer.digest, size: 9 }])
  expect([read(manifest.config.digest), read(layer.digest)]).toEqual(['{}', 'the files'])
  for (const [name, content] of files)
    if (name.startsWith('blobs/')) expect(name).toContain(createHash('sha256').update(content).digest('hex'))
})

test('parts in files and equal parts give the same bytes', async () => {
  const part = join(folder, 'layer')
  writeFileSync(part, 'the files')
  const [given, read] = [join(folder, 'given.tar'), join(folder, 'read.tar')]
  const rest = { ref: 'quire:1.2.3', config, annotations: {}, at }
  await writeOciArchive(given, { ...rest, layers: [layer, layer] })
  await writeOciArchive(read, { ...rest, layers: [{ ...layer, content: part }, layer] })
  expect(readFileSync(read).equals(readFileSync(given))).toBe(true)
})
