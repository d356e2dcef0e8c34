import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RuntimeSettings } from '../../in-page/runtime/runtime-settings.ts'
import type { ScriptMode } from '../model/report.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { freezePage, guardPage, runtimePath } from '../runtime/guard-page.ts'
import { findThemes, runtimeFile } from '../runtime/page-runtime.ts'
import type { ScriptedPage } from './sample-pages.ts'

/** Guards or freezes the scripts in written pages. An app already contains its guard, so it can only be frozen. */
export async function changeScripts(
  { folder, pagePaths }: { folder: string; pagePaths: ReadonlyMap<string, string> },
  scripted: readonly ScriptedPage[],
  mode: ScriptMode,
): Promise<void> {
  for (const { page, app } of scripted) {
    const { key, url, charset } = page
    const path = pagePaths.get(key)
    if (path === undefined || (app && mode !== 'frozen')) continue
    const file = join(folder, path)
    const raw = { text: await readFile(file, 'latin1'), charset }
    const frozen = () => (app ? freezeApp(raw.text) : freezePage(raw, path))
    const guarded = () => guardPage(raw, path, mode === 'hosted' ? null : url.pathname)
    await writeFile(file, mode === 'frozen' ? frozen() : guarded(), 'latin1')
  }
}

/** Finds the themes in the style sheets of a bundle. */
export async function readThemes(folder: string, paths: readonly string[]): Promise<ReturnType<typeof findThemes>> {
  const sheets = paths.filter(path => path.endsWith('.css'))
  return findThemes(await Promise.all(sheets.map(path => readFile(join(folder, path), 'latin1'))))
}

export async function writeRuntime(folder: string, settings: RuntimeSettings): Promise<void> {
  await mkdir(dirname(join(folder, runtimePath)), { recursive: true })
  await writeFile(join(folder, runtimePath), runtimeFile(settings))
}
