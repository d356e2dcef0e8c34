import { runPage } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { RuntimeSettings } from '../../in-page/runtime/runtime-settings.ts'

/** Returns the text of the file that guarded and frozen pages load. */
export function runtimeFile(settings: RuntimeSettings): string {
  return `${callScript(runPage, settings)}\n`
}

/** Finds in style sheets how a site switches between its two colour themes. */
export function findThemes(sheets: Iterable<string>): Pick<RuntimeSettings, 'themeAttributes' | 'hasDarkClass'> {
  const attributes = new Set<string>()
  let hasDarkClass = false
  for (const css of sheets) {
    for (const [, name = ''] of css.matchAll(/\[data-([a-z-]*)\s*=\s*["']?(?:dark|light)["']?\s*\]/g))
      if (/theme|mode|scheme/.test(name)) attributes.add(`data-${name}`)
    hasDarkClass ||= /(?:^|[\s,{}(]|html|:root)\.dark(?=[\s,{:.)[])/m.test(css)
  }
  return { themeAttributes: [...attributes].sort(), hasDarkClass }
}
