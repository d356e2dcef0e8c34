import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listThirdParties } from '../crawl/begin-report.ts'
import type { CollectedSite } from '../crawl/crawl-state.ts'
import type { ExportOptions } from '../model/options.ts'
import { writeReport } from '../model/report.ts'
import type { StageClock } from '../model/stage-clock.ts'
import { packSearch, writeSearchScript } from '../search/pack-search.ts'
import { maxRounds } from '../verify/missed-files.ts'
import { createScriptPlacer, type ScriptPlacer } from '../verify/place-scripts.ts'
import { inlineFonts } from './inline-fonts.ts'
import { writeReportPage } from './report-page.ts'
import { writeBundle } from './write-bundle.ts'

/** A bundle as a folder, ready to be archived. */
export interface MadeBundle {
  folder: string
  /** Of all its files, with slashes. */
  paths: string[]
}

/** Makes the bundle of a collected site: pages rewritten, scripts where they may run, checked, with the finished report. */
export async function makeBundle(
  { state, start, report }: CollectedSite,
  options: ExportOptions,
  signal: AbortSignal,
  clock: StageClock,
): Promise<MadeBundle> {
  const { workFolder, verify = 'sample', offlineSearch: hasSearch = false, log } = options
  const folder = join(workFolder, 'bundle')
  const onPage = countPages(report.pages, options)

  async function write({ guardedAhead: guarded }: ScriptPlacer) {
    await rm(folder, { recursive: true, force: true })
    const written = await writeBundle(state, start, folder, { hasSearch, guarded, onPage })
    signal.throwIfAborted()
    if (hasSearch) await writeSearchScript(folder)
    await inlineFonts(folder, written.fontPaths)
    clock.end('rewrite', { pages: report.pages }, 'bundle written')
    return written
  }

  /** Until the check asks for nothing any more that the bundle lacks and the site has. */
  async function writeWhole(placer: ScriptPlacer) {
    for (let round = 0; ; round += 1) {
      const written = await write(placer)
      const added = await placer.place(folder, written.pagePaths, written.paths)
      const isWhole = round >= maxRounds || !(await placer.fetchMissed())
      clock.end('verify', { scripts: placer.findings().mode }, 'bundle verified')
      if (isWhole) return { written, added }
    }
  }

  const profileFolder = join(workFolder, 'verify')
  const placer = await createScriptPlacer(state, { verify, hasSearch, profileFolder, signal, log })
  clock.end('look', {}, 'origin looked at')
  try {
    const { written, added } = await writeWhole(placer)
    const search = hasSearch ? await packSearch(state, folder, written.pagePaths, signal) : null
    if (search) clock.end('search', search.packed, 'search packed')
    const { notes, ...findings } = written.findings
    const { differences, ...scripts } = placer.findings()
    report.notes.push(...notes)
    Object.assign(report, findings, listThirdParties(state), { pages: written.pageCount, files: written.fileCount })
    Object.assign(report, { scripts, differences, offlineSearch: search?.packed ?? null })
    await writeFile(join(folder, 'export-report.json'), writeReport(report))
    await writeFile(join(folder, 'export-report.html'), writeReportPage(report))
    const paths = [...written.paths, ...(search?.paths ?? []), ...added, 'export-report.json', 'export-report.html']
    return { folder, paths }
  } finally {
    await placer.close().catch(() => {})
  }
}

/** Pages that are written again are not counted again. */
function countPages(pagesKnown: number, { onProgress }: ExportOptions): () => void {
  let written = 0
  return () => {
    written = Math.min(written + 1, pagesKnown)
    onProgress({ stage: 'archive', pagesDone: written, pagesKnown, pageCount: written })
  }
}
