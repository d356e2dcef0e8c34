import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startThread } from '../../server/assets.ts'
import { defaultLimits, exportSite } from '../../server/export/export-site.ts'
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

/** Exports the documentation without a cache, and returns the SHA-256 of the archive. */
async function exportDocs(name: string): Promise<string> {
  const { sha256 } = await exportSite({
    domain: 'docs.python.example',
    origin: origin.origin,
    originAllowed: true,
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
  return sha256
}

test.skipIf(!existsSync(docs))(
  'without a cache, a second export of the python docs has the same bytes (apt-get install python3.11-doc)',
  async () => expect(await exportDocs('two.zip')).toBe(await exportDocs('one.zip')),
)
