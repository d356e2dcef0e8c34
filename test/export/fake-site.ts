import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startThread } from '../../server/assets.ts'
import { defaultLimits, exportSite } from '../../server/export/export-site.ts'
import type { ExportOptions, ExportResult } from '../../server/export/model/options.ts'
import { type ArchiveEntry, readArchive } from './read-archive.ts'
import { type RunningServer, startServer } from './static-server.ts'

export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  /** A text that starts with `<` is a page unless the headers say otherwise. */
  body?: string | Buffer
}

/** The answers of a site by path with query, or a function that returns them; undefined = 404. */
export type FakeSite =
  | Record<string, string | Buffer | FakeAnswer>
  | ((path: string) => string | FakeAnswer | undefined)

const types: Record<string, string> = {
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
  xml: 'application/xml',
  txt: 'text/plain',
  json: 'application/json',
}

/** Starts a site on the loopback interface. */
export function startFakeSite(site: FakeSite): Promise<RunningServer> {
  return startServer((request, response) => {
    const path = request.url ?? '/'
    const found = typeof site === 'function' ? site(path) : (site[path] ?? site[path.replace(/\?.*$/, '')])
    const answer: FakeAnswer =
      typeof found === 'string' || Buffer.isBuffer(found)
        ? { body: found }
        : (found ?? { status: 404, body: '<h1>Not found</h1>' })
    const extension = /\.(\w+)$/.exec(path.replace(/\?.*$/, ''))?.[1] ?? ''
    const isPage = typeof answer.body === 'string' && answer.body.startsWith('<') && !types[extension]
    const type = isPage ? 'text/html; charset=utf-8' : (types[extension] ?? 'application/octet-stream')
    response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers }).end(answer.body)
  })
}

/** Returns a page with a title, a sentence that contains its name, and the markup. */
export function page(name: string, markup = ''): string {
  return `<!doctype html><html><head><title>${name}</title></head><body><h1>${name}</h1><p>These are the words of the page ${name}.</p>${markup}</body></html>`
}

export interface Exported extends ExportResult {
  entries: ArchiveEntry[]
  names: string[]
}

const scratch = mkdtempSync(join(tmpdir(), 'quire-export-test-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
let runs = 0

export interface FakeOptions extends Partial<Omit<ExportOptions, 'limits'>> {
  limits?: Partial<ExportOptions['limits']>
}

/** Returns new paths for the archive and the work folder of an export. */
export function nextFiles(): { outFile: string; workFolder: string } {
  runs += 1
  return { outFile: join(scratch, `${runs}.zip`), workFolder: join(scratch, `work-${runs}`) }
}

/** Exports a local site and reads the bundle. Fails if temporary files are left. */
export async function exportFakeSite(origin: URL, options: FakeOptions = {}): Promise<Exported> {
  const files = nextFiles()
  const { limits, ...rest } = options
  const complete: ExportOptions = {
    domain: 'docs.example.com',
    origin,
    originAllowed: true,
    allowNoSandbox: true,
    paths: null,
    deployment: 'air-gapped',
    features: { search: false, assistant: false, analytics: false, playground: false },
    version: null,
    format: 'zip',
    ...files,
    onProgress() {},
    startThread,
    signal: new AbortController().signal,
    ...rest,
    limits: { ...defaultLimits, retries: 1, ...limits },
  }
  const leftovers = () => [complete.workFolder, `${complete.outFile}.part`].filter(path => existsSync(path))
  const result = await exportSite(complete).catch(error => {
    expect(leftovers()).toEqual([])
    throw error
  })
  expect(leftovers()).toEqual([])
  const entries = readArchive(complete.outFile)
  return { ...result, entries, names: entries.map(({ name }) => name) }
}
