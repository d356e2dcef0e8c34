import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { ExportError } from '../../server/export/model/export-error.ts'
import { type Exported, exportFakeSite, type FakeAnswer, type FakeOptions, nextFiles } from '../export/fake-site.ts'
import { listOwnFaults } from '../export/own-check.ts'
import { readArchive, unpackArchive } from '../export/read-archive.ts'

/** Returns the answer for a path; null if it sends the answer itself. */
export type HostileSite = (path: string, ...rest: Parameters<RequestListener>) => FakeAnswer | string | null | undefined

interface Outcome {
  exported?: Exported
  error?: ExportError
}

export const limits = {
  pages: 60,
  files: 200,
  pageTimeoutMs: 4000,
  jobTimeoutMs: 25_000,
  fileBytes: 2_000_000,
  pageBytes: 2_000_000,
  totalBytes: 30_000_000,
}

/**
 * Includes the memory of the site, which runs in the same process, and what V8 has not collected yet: of the 880 to 1,110 MB that
 * 300,000 links of one page take here, 190 MB are in use. A page that fetches 1,000 files of 100 KB at once took 1,105 MB on a quiet
 * machine and 1,295 MB on a busy one. An export may take 2,048 MB.
 */
const maxGrowthBytes = 1600 * 1024 ** 2

/** An export must end within ten seconds after its time limit. Tests with another limit have another timeout. */
export const testTimeoutMs = 35_000
const checkTimeoutMs = 300_000
/** Shorter than for the export: a page that no browser can show is no fault here, and would be waited for six times. */
const checkPageMs = 2000
/** For a bundle with a page that no browser could show during the export either. Its other pages show at once. */
const checkLostPageMs = 1000

async function start(site: HostileSite): Promise<{ origin: URL; close(): Promise<unknown> }> {
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const path = request.url ?? '/'
    const found = site(path, request, response)
    if (found === null) return
    const answer = typeof found === 'string' ? { body: found } : (found ?? { status: 404, body: '<h1>Not found</h1>' })
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...answer.headers })
      .end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

/**
 * Exports a hostile site. The export must end within the timeout of the test, either with an error sentence or with a bundle
 * whose files stay inside its folder and which passes its own check, and leave no temporary files.
 */
export async function run(site: HostileSite, options: FakeOptions = {}): Promise<Outcome> {
  const { origin, close } = await start(site)
  const files = nextFiles()
  const heldBefore = process.memoryUsage().rss
  let maxHeld = heldBefore
  const sampling = setInterval(() => {
    maxHeld = Math.max(maxHeld, process.memoryUsage().rss)
  }, 50)
  const given = { ...limits, ...options.limits }
  const outcome: Outcome = await exportFakeSite(origin, { ...files, ...options, limits: given })
    .then(
      exported => ({ exported }),
      error => ({ error }),
    )
    .finally(close)
  clearInterval(sampling)
  expect(maxHeld - heldBefore).toBeLessThan(maxGrowthBytes)
  if (outcome.error) {
    expect(outcome.error).toBeInstanceOf(ExportError)
    expect(outcome.error.message).toMatch(/^\S.{20,300}\.$/)
    expect(existsSync(files.outFile)).toBe(false)
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'quire-hostile-'))
    unpackArchive(files.outFile, folder)
    const entries = readArchive(files.outFile)
    for (const { mode } of entries) expect(['100644', '644']).toContain(mode.toString(8))
    const names = entries.map(({ name }) => name)
    const folded = names.map(name => name.normalize('NFC').toLowerCase())
    expect(new Set(folded).size).toBe(names.length)
    for (const name of names) {
      expect(name).not.toMatch(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for NUL
        /(^|\/)\.\.?(\/|$)|^\/|[\\:*?"<>|\0-\x1f]|[. ](\/|$)|(^|\/)(con|prn|aux|nul|com\d|lpt\d)(\.|\/|$)/i,
      )
      for (const segment of name.split('/')) expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    }
    expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())).toHaveLength(
      names.length,
    )
    JSON.parse(readFileSync(join(folder, 'export-report.json'), 'utf8'))
    rmSync(folder, { recursive: true, force: true })
    // The time limit of the test is that of the export.
    const check = async () => {
      const isLost = outcome.exported?.report.notes.some(note => note.endsWith('no browser could show it.'))
      const pageTimeoutMs = isLost ? checkLostPageMs : checkPageMs
      const faults = await listOwnFaults(files.outFile, { pageTimeoutMs, verify: 'sample' })
      // Whether a page of endless frames is shown in time depends on the machine.
      expect(faults.filter(fault => !fault.endsWith('the browser cannot show the page'))).toEqual([])
    }
    if (options.verify !== 'static') onTestFinished(check, checkTimeoutMs)
  }
  return outcome
}

/** Returns a page with unique words, so that it does not look like the not-found page of the site. */
export function page(name: string, markup = ''): string {
  const words = Array.from({ length: 12 }, (_, index) => createHash('md5').update(`${name} ${index}`).digest('hex'))
  return `<!doctype html><title>${words[0]}</title><p>${words.join(' ')}</p>${markup}`
}

export const home = (markup: string) => page('home', markup)

export const only =
  (path: string, answer: FakeAnswer | string, markup = '<a href="/x">x</a>'): HostileSite =>
  asked =>
    asked === '/' ? home(markup) : asked === path ? answer : undefined

/** Sends the same bytes every `gapMs` until the connection closes. */
export function drip(response: Parameters<RequestListener>[1], bytes: Buffer | string, gapMs: number): null {
  const timer = setInterval(() => response.write(bytes), gapMs)
  response.on('close', () => clearInterval(timer))
  return null
}

export const skippedPages = ({ exported }: Outcome) => exported?.report.skipped.length ?? 0

export const reasonsOf = ({ exported }: Outcome) =>
  [...(exported?.report.deadLinks ?? []), ...(exported?.report.missingFiles ?? [])]
    .map(({ reason }) => reason)
    .join('; ')

/** Returns a page that shows a word thirty times in a browser. The source does not contain the word. */
export const app = (script: string, word = 'stay') =>
  `<!doctype html><body><div id="app"></div><script>document.getElementById('app').textContent = ("${[...word].reverse().join('')}".split("").reverse().join("") + " ").repeat(30); ${script}</script></body>`
