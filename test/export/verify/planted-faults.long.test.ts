import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ExportError } from '../../../server/export/export-site.ts'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { someOf } from '../../support/rounds.ts'
import { type Exported, exportFakeSite, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'
import { type Fault, faults } from './planted/faults.ts'
import { makeSite, oddPage, oddTemplate, type Planting, pathOf, type SiteKind, templates } from './planted/site.ts'
import { type UnseenFault, unseenFaults } from './planted/unseen-faults.ts'
import { startVisitor, type Visit, type Visitor } from './planted/visit.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-planted-'))
const places: readonly PlaceName[] = ['root', 'folder', 'file']
const servers: RunningServer[] = []
let visitor: Visitor

beforeAll(async () => {
  if (findBrowser()) visitor = await startVisitor()
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

afterAll(async () => {
  await visitor?.close()
  rmSync(scratch, { recursive: true, force: true })
})

async function run(kind: SiteKind, planting: Planting): Promise<Exported | ExportError> {
  const server = await startFakeSite(makeSite(kind, planting))
  servers.push(server)
  return exportFakeSite(server.origin).catch(error => {
    if (error instanceof ExportError) return error
    throw error
  })
}

function unpack({ entries }: Exported): string {
  const folder = mkdtempSync(join(scratch, 'bundle-'))
  for (const { name, content } of entries) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const fileOf = (kind: SiteKind, name: string) =>
  pathOf(kind, name) === '/' ? 'index.html' : pathOf(kind, name).slice(1).replace(/\/$/, '/index').concat('.html')
const allNames = templates.flatMap(template => Array.from({ length: 50 }, (_, index) => `${template}-${index}`))

/** Decides whether a reader of the bundle notices nothing of the fault in this place. */
function isHarmless({ kind, shows = '' }: Fault, place: PlaceName, visit: Visit): boolean {
  if (kind === 'outbound') return visit.outside.length === 0
  if (kind === 'theme') return visit.switchesTheme
  if (kind === 'search') return place !== 'root' || visit.hits > 0
  // The text of a chunk is one word, and only scripts that run show it.
  if (kind === 'chunk' && place !== 'root') return true
  return shows !== '' && visit.text.includes(shows)
}

/** Finds what the report says about the fault; undefined = nothing. */
function findInReport(fault: Fault, { report }: Exported): string | undefined {
  const { kind, planting, where } = fault
  const isFaulty = (page: string) =>
    where === 'page' ? page === fileOf(fault.site, oddPage) : page.startsWith(`${oddTemplate}/`)
  const missing = report.missingFiles.find(({ url }) =>
    Object.keys(planting.files ?? {}).some(path => url.endsWith(path)),
  )
  if (missing) return `missing file ${missing.url}`
  const difference = report.differences.find(({ page, what, loss }) => {
    if (!isFaulty(page)) return false
    return kind === 'text' ? loss !== undefined : kind === 'theme' ? /theme/.test(what) : what !== ''
  })
  if (difference) return `${difference.page} ${difference.place}: ${difference.what}`
  const word = kind === 'search' ? report.siteSearch?.words.find(({ origin, root }) => root < origin) : undefined
  return word && `${report.siteSearch?.page}: ${word.root} of ${word.origin} hits for ${word.word}`
}

/** Exports a site with the fault. Returns how it was found, or `missed`. */
async function findFault(fault: Fault): Promise<string> {
  const exported = await run(fault.site, fault.planting)
  if (exported instanceof ExportError) return `export fails: ${exported.message}`
  expect(exported.report.pages).toBe(200)
  const folder = unpack(exported)
  const pages = fault.where === 'page' ? [oddPage] : [oddPage, `${oddTemplate}-37`]
  let isGood = true
  for (const place of places) {
    if (!isGood) break
    const visits = await Promise.all(pages.map(page => visitor.visit(folder, fileOf(fault.site, page), place)))
    isGood = visits.every(visit => isHarmless(fault, place, visit))
  }
  if (isGood) return 'harmless: the page works in all places'
  return findInReport(fault, exported) ?? 'missed'
}

const soundExports = new Map<SiteKind, Promise<Exported>>()

/**
 * Exports a site without a fault, once. It has the markup and the script of the unseen faults, for none of its pages. So an export
 * of a site with such a fault opens the same pages first: no fault changes the markup by which they are picked.
 */
function exportSound(site: SiteKind): Promise<Exported> {
  const fault = unseenFaults.find(each => each.site === site)
  const exported = soundExports.get(site) ?? exportOrThrow(site, fault?.plant(allNames) ?? {})
  soundExports.set(site, exported)
  return exported
}

async function exportOrThrow(kind: SiteKind, planting: Planting): Promise<Exported> {
  const exported = await run(kind, planting)
  if (exported instanceof ExportError) throw exported
  return exported
}

/** Names the pages that an export of a site opens first. */
async function listSample(site: SiteKind): Promise<string[]> {
  const { report } = await exportSound(site)
  const { checkedPages, heldOutPages } = report.scripts
  const opened = new Set(checkedPages.filter(page => !heldOutPages.includes(page)))
  return allNames.filter(name => opened.has(fileOf(site, name)))
}

/** Exports a site with the fault on all pages outside of the first sample. Returns how it was found, or `missed`. */
async function findUnseen(fault: UnseenFault): Promise<string> {
  const sample = await listSample(fault.site)
  const exported = await run(fault.site, fault.plant(sample))
  if (exported instanceof ExportError) return `export fails: ${exported.message}`
  const { differences, scripts } = exported.report
  const unopened = allNames.filter(name => !scripts.checkedPages.includes(fileOf(fault.site, name)))
  const folder = unpack(exported)
  const found: string[] = []
  const asked = unopened.slice(0, 2)
  for (const place of places) {
    const visits = await Promise.all(asked.map(name => visitor.visit(folder, fileOf(fault.site, name), place)))
    for (const [index, name] of asked.entries()) {
      const text = visits[index]?.text ?? ''
      const reported = differences.find(each => each.place === place && each.what !== '')
      if (text.includes(fault.shows(name))) found.push(`${place} is whole`)
      else if (reported) found.push(`${reported.page} ${place}: ${reported.what}`)
      else return `missed: ${name} in ${place}`
    }
  }
  return [...new Set(found)].join('; ')
}

describe.skipIf(!findBrowser())(`needs a Chromium (${installCommand()})`, () => {
  test.each<SiteKind>(['app', 'plain'])('a site of 200 pages without a fault is complete (%s)', async kind => {
    const exported = await exportSound(kind)
    expect(exported.report).toMatchObject({ pages: 200, differences: [], missingFiles: [], notes: [] })
    const folder = unpack(exported)
    const visits = await Promise.all(places.map(place => visitor.visit(folder, fileOf(kind, oddPage), place)))
    for (const visit of visits) expect(visit).toMatchObject({ outside: [], switchesTheme: true })
  })

  const titled = (all: readonly Fault[]) => all.map(fault => [fault.kind, fault.where, fault.site, fault] as const)

  test.each(titled(someOf(faults)))(
    'a fault of the %s on one %s of a site (%s) is found or made harmless',
    async (kind, where, site, fault) => {
      const found = await findFault(fault)
      console.log(`${kind}, ${where}, ${site}: ${found}`)
      expect(found).not.toBe('missed')
    },
  )

  test.each(someOf(unseenFaults).map(fault => [fault.title, fault.site, fault] as const))(
    'a fault of all pages outside of the first sample is found: %s (%s)',
    async (title, site, fault) => {
      const found = await findUnseen(fault)
      console.log(`${title}, ${site}: ${found}`)
      expect(found).not.toMatch(/^missed/)
    },
  )
})
