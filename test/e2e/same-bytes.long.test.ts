import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startThread } from '../../server/assets.ts'
import { defaultLimits, exportSite } from '../../server/export/export-site.ts'
import { readArchive } from '../export/read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../export/static-server.ts'

const docs = '/usr/share/doc/python3.11/html'

let scratch = ''
let origin: RunningServer

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'quire-same-bytes-'))
  origin = await startServer(serveFolder(docs))
})
afterAll(async () => {
  await origin.close()
  rmSync(scratch, { recursive: true, force: true })
})

/** Exports the documentation without a cache. Returns the SHA-256 of the archive, and that of each file in it. */
async function exportDocs(name: string): Promise<{ sha256: string; files: string[] }> {
  const { sha256 } = await exportSite({
    domain: 'docs.python.example',
    origin: origin.origin,
    originAllowed: true,
    allowNoSandbox: true,
    paths: null,
    deployment: 'air-gapped',
    features: { search: false, assistant: false, analytics: false, playground: false },
    version: null,
    format: 'zip',
    outFile: join(scratch, name),
    workFolder: join(scratch, `work-${name}`),
    limits: defaultLimits,
    onProgress() {},
    startThread,
    signal: new AbortController().signal,
  })
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const files = readArchive(join(scratch, name)).map(entry => `${entry.name} ${hash(entry.content)}`)
  return { sha256, files }
}

test.skipIf(!existsSync(docs))(
  'without a cache, a second export of the python docs has the same bytes (apt-get install python3.11-doc)',
  async () => expect(await exportDocs('two.zip')).toEqual(await exportDocs('one.zip')),
)
