import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { exportChangesPage } from '../../server/dashboard/pages/export-changes.ts'
import type { Bundle } from '../../server/export/jobs/export-job.ts'
import { createComparison } from '../../server/workers/compare-in-thread.ts'
import { waitFor } from '../support/export-site.ts'
import { makeZip } from '../unpack/make-archives.ts'
import { type ExportVisits, emptyReport, openExportVisits, strip } from './export-visits.ts'
import { findInjected, hostileTexts } from './page-visit.ts'

let visits: ExportVisits
beforeEach(async () => {
  visits = await openExportVisits()
})
afterEach(() => visits.pages.dispose())

function bundle(pages: Record<string, string>): Buffer {
  const files = Object.entries(pages).map(([name, text]) => ({
    name,
    content: `<!doctype html><title>Docs</title><main><h1>Docs</h1><p>${text}</p></main>`,
  }))
  return makeZip([{ name: 'export-report.json', content: JSON.stringify(emptyReport) }, ...files])
}

const complete = (pages: Record<string, string>, domain?: string) =>
  visits.complete(domain === undefined ? {} : { domain }, {
    content: bundle(pages),
    pageCount: Object.keys(pages).length,
  })

/** Opens the page until the comparison has ended. */
async function showChanges(jobId: string): Promise<string> {
  const { organizationId } = visits.own
  return waitFor(async () => {
    const { text } = await visits.pages.read(exportChangesPage, { organizationId, params: { jobId } })
    return text.includes('data-live') ? undefined : text
  })
}

test('an export with as many pages as before says which were replaced and whose text changed', async () => {
  await complete({ 'index.html': 'One. Two.', 'old.html': 'Gone.', 'a.html': 'The same.' })
  const { jobId } = await complete({ 'index.html': 'One. Three.', 'new.html': 'Fresh.', 'b.html': 'The same.' })
  const shown = strip((await visits.showJob(jobId)).text)
  expect(shown).toContain('as many pages as the export before. What changed')
  const text = await showChanges(jobId)
  expect(strip(text)).toMatch(
    /Changed pages 1 Added pages 1 Removed pages 1 Moved pages, with the same text 1 Unchanged pages 0/,
  )
  expect(text).toMatch(/<del>Two\.<\/del>[\s\S]*<ins>Three\.<\/ins>/)
  expect(strip(text)).toMatch(/Added pages Docs new\.html Removed pages Docs old\.html/)
  expect(strip(text)).toContain('Docs a.html → b.html')
  // Nothing unpacked stays.
  expect(readdirSync(join(visits.pages.dataFolder, 'work'))).toEqual([])
})

test('the list and the page of an export say how many pages changed, if that was counted', async () => {
  const before = await visits.complete()
  const counted = await visits.complete({}, { changes: { added: 2, removed: 0, moved: 1, changed: 5 } })
  const same = await visits.complete({}, { changes: { added: 0, removed: 0, moved: 0, changed: 0 } })
  const list = strip((await visits.showList()).text)
  expect(list).toContain('5 changed, 2 added, 1 moved')
  expect(list).toContain('no page changed')
  const show = async ({ jobId }: { jobId: string }) => strip((await visits.showJob(jobId)).text)
  expect(await show(counted)).toContain('5 changed, 2 added, 1 moved, compared with the export before. What changed')
  expect(await show(same)).toContain('no page changed, compared with the export before. What changed')
  expect(await show(before)).toContain('the first export of these pages')
})

test('the texts of a hostile site are shown as text', async () => {
  await complete({ 'index.html': 'One.' })
  const escaped = hostileTexts.map(text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
  const { jobId } = await complete({ 'index.html': `${escaped.join(' ')} Two.` })
  expect(findInjected(await showChanges(jobId)).faults).toEqual([])
})

test('the first export has nothing to be compared with', async () => {
  const { jobId } = await complete({ 'index.html': 'One.' })
  expect(await showChanges(jobId)).toContain('There is no export of these pages before this one.')
})

test('a missing bundle is said, and an export of others is not found', async () => {
  const before = await complete({ 'index.html': 'One.' })
  const { jobId } = await complete({ 'index.html': 'Two.' })
  rmSync(join(visits.pages.dataFolder, 'bundles', before.bundle?.fileName ?? ''))
  expect(await showChanges(jobId)).toContain('one of them is missing or damaged.')
  const { organizationId } = visits.other
  await expect(visits.pages.visit(exportChangesPage, { organizationId, params: { jobId } })).rejects.toThrow(
    PageNotFound,
  )
})

test('bundles that cannot be compared are said, and not unpacked again for each renewal', async () => {
  await visits.complete({}, { content: Buffer.from('no archive') })
  const { jobId } = await complete({ 'index.html': 'One.' })
  const texts = [await showChanges(jobId), await showChanges(jobId)]
  for (const text of texts) expect(strip(text)).toContain('cannot be compared here: one of them cannot be read')
  expect(texts[0]).toContain(`npx quire exports diff se_`)
})

test('long lists and texts are cut, and their numbers are whole', async () => {
  const pages = (text: string) =>
    Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`p${at}.html`, text.repeat(30)]))
  await complete({ ...pages('Old. '), 'index.html': 'One.' })
  const { jobId } = await complete({ ...pages('New. '), 'index.html': 'One.' })
  const text = await showChanges(jobId)
  expect(strip(text)).toContain('Changed pages 250')
  expect(strip(text)).toContain('and 50 more')
  expect(text.match(/<details>/g)).toHaveLength(200)
})

test('the end of the server ends a comparison, and leaves nothing unpacked', async () => {
  const before = await complete({ 'index.html': 'One.' })
  const after = await complete({ 'index.html': 'Two.' })
  const work = join(visits.pages.dataFolder, 'work')
  const { bundles } = visits.pages.deps
  const comparison = createComparison(bundles, work, Date.now)
  const compared = comparison.compare(before.bundle as Bundle, after.bundle as Bundle)
  await comparison.stop()
  expect(await compared).toBe('failed')
  expect(existsSync(work) ? readdirSync(work) : []).toEqual([])
})
