import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expandReferences } from '../../../scripts/bench/export/expand-references.ts'
import { makeSite } from '../../../scripts/bench/export/make-site.ts'
import { openPlaces, originPlace, placeNames } from '../../../scripts/bench/export/place.ts'
import { referenceSites } from '../../../scripts/bench/export/sites-generators.ts'
import { serveStatic } from '../../../scripts/bench/export/static-server.ts'
import { readVisibleWords, shareOfWords } from '../../../scripts/bench/export/visible-words.ts'
import { openVisitor, settle, type Visitor } from '../../../scripts/bench/export/visitor.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, nextFiles } from '../fake-site.ts'
import { unpackArchive } from '../read-archive.ts'
import { clickEverything } from './frozen-page.ts'

// The sites are built by `npm run bench -- export --prepare`.
const cacheFolder = process.env.QUIRE_BENCH_SITES ?? join(tmpdir(), 'quire-bench')
const isReady = (name: string) => existsSync(join(cacheFolder, `site-${name}.ready`))

/** A text of the document that is shown only after its part was opened. */
const collapsedText = 'The request does not follow this document.'
/** Labels of buttons that send requests. */
const consoleWords = ['Authorize', 'Execute', 'TRY', 'Send API Request', 'Test Request']

describe.skipIf(!findBrowser())('real references', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-real-references-'))
  let visitor: Visitor
  beforeAll(async () => {
    visitor = await openVisitor()
  })
  afterAll(async () => {
    await visitor?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const site of referenceSites) {
    test.skipIf(!isReady(site.name))(`${site.name} keeps its words and sends nothing`, async () => {
      const source = await makeSite(site, cacheFolder)
      const server = await serveStatic(source.folder)
      const origin = originPlace(server.root.href)
      const path = '/reference/'
      const { acted: wanted = [] } = await visitor.visit(origin.addressOf(path) ?? '', origin.host, async page => {
        await expandReferences(page)
        return readVisibleWords(page)
      })
      const files = nextFiles()
      const { report } = await exportFakeSite(server.root, { ...files, domain: server.root.host })
      await server.close()
      expect(report.frozenReferences).toHaveLength(1)
      expect(report.removedFeatures).toEqual([])
      const unpacked = join(folder, site.name)
      unpackArchive(files.outFile, unpacked)
      const { places, close } = await openPlaces(unpacked)
      try {
        for (const name of placeNames) {
          const place = places[name]
          const { look, acted } = await visitor.visit(place.addressOf(path) ?? '', place.host, async page => {
            const words = await readVisibleWords(page)
            const sent: string[] = []
            page.on('request', request => sent.push(request.url()))
            const clicks = await page.evaluate(clickEverything)
            await settle(page)
            return { words, sent, clicks }
          })
          const { words = [], sent, clicks = 0 } = acted ?? {}
          expect(wanted.length).toBeGreaterThan(1500)
          expect(shareOfWords(wanted, words)).toBeGreaterThanOrEqual(0.99)
          expect(words.join(' ')).toContain(collapsedText)
          expect(words.filter(word => consoleWords.includes(word))).toEqual([])
          expect(clicks).toBeGreaterThan(10)
          expect([sent, look.outbound, look.failed, look.errors]).toEqual([[], [], [], []])
        }
      } finally {
        await close()
      }
    })
  }
})
