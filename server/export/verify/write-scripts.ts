import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadPages } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { barePath } from '../../in-page/runtime/bare-path.ts'
import type { RuntimeSettings } from '../../in-page/runtime/runtime-settings.ts'
import { scanHtml } from '../../web/html/html-scan.ts'
import type { ScriptMode } from '../model/report.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { addLoader, freezePage, guardPage, loaderPath } from '../runtime/guard-page.ts'
import { findThemes, runtimeFile } from '../runtime/page-runtime.ts'
import type { ScriptedPage } from './sample-pages.ts'

interface ScriptChanges {
  /** The mode of each page, by key. */
  modes: ReadonlyMap<string, ScriptMode>
  /** Keys of the pages that were guarded while they were written. */
  guardedAhead: ReadonlySet<string>
  /** Whether the pages whose scripts run load the script that `writeLoader` writes. */
  hasLoader: boolean
}

/** Guards or freezes the scripts in written pages. An app already contains its guard, so it can only be frozen. */
export async function changeScripts(
  { folder, pagePaths }: { folder: string; pagePaths: ReadonlyMap<string, string> },
  scripted: readonly ScriptedPage[],
  { modes, guardedAhead, hasLoader }: ScriptChanges,
): Promise<void> {
  for (const { page, app } of scripted) {
    const { key, url, charset } = page
    const path = pagePaths.get(key)
    const mode = modes.get(key) ?? 'none'
    const isWritten = mode === 'everywhere' || mode === 'none' || guardedAhead.has(key) || (app && mode !== 'frozen')
    const loads = hasLoader && mode !== 'frozen' && !app
    if (path === undefined || (isWritten && !loads)) continue
    const file = join(folder, path)
    const raw = { text: await readFile(file, 'latin1'), charset }
    const frozen = () => (app ? freezeApp(raw.text) : freezePage(raw, path))
    const guarded = () => guardPage(raw, path, mode === 'hosted' ? null : url.pathname)
    const text = isWritten ? raw.text : mode === 'frozen' ? frozen() : guarded()
    await writeFile(file, loads ? addLoader({ text, charset }, path) : text, 'latin1')
  }
}

/**
 * Writes the script that makes the browser load pages whose scripts do not run where those of other pages do. Returns its
 * path; null when the scripts of all pages run in the same places.
 */
export async function writeLoader(
  { folder, pagePaths }: { folder: string; pagePaths: ReadonlyMap<string, string> },
  scripted: readonly ScriptedPage[],
  modes: ReadonlyMap<string, ScriptMode>,
): Promise<string | null> {
  const plain = scripted.filter(({ app }) => !app)
  if (new Set(plain.map(({ page }) => modes.get(page.key))).size < 2) return null
  const pathsOf = (mode: ScriptMode) => [
    ...new Set(
      plain.flatMap(({ page: { key, url } }) =>
        modes.get(key) === mode
          ? // At its own address, a page may have another name than in the bundle.
            [
              barePath((pagePaths.get(key) ?? '').split('/').map(encodeURIComponent).join('/')),
              barePath(url.pathname.slice(1)),
            ]
          : [],
      ),
    ),
  ]
  const pages = { none: pathsOf('frozen'), root: pathsOf('guarded'), folder: pathsOf('hosted') }
  await mkdir(dirname(join(folder, loaderPath)), { recursive: true })
  await writeFile(join(folder, loaderPath), `${callScript(loadPages, pages)}\n`)
  return loaderPath
}

/**
 * Finds the themes in the style sheets of a bundle and in the styles of some pages: builders put short styles into the page.
 *
 * @param pages paths of pages.
 */
export async function readThemes(
  folder: string,
  paths: readonly string[],
  pages: readonly string[],
): Promise<ReturnType<typeof findThemes>> {
  const read = (path: string) => readFile(join(folder, path), 'latin1')
  const sheets = await Promise.all(paths.filter(path => path.endsWith('.css')).map(read))
  for (const page of pages) {
    const text = await read(page)
    scanHtml(text, {
      rawText(tag, start, end) {
        if (tag.name === 'style') sheets.push(text.slice(start, end))
      },
    })
  }
  return findThemes(sheets)
}

export async function writeRuntime(folder: string, settings: RuntimeSettings): Promise<void> {
  await mkdir(dirname(join(folder, runtimePath)), { recursive: true })
  await writeFile(join(folder, runtimePath), runtimeFile(settings))
}
