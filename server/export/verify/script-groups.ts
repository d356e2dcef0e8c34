import type { ScriptChoice, ScriptGroup } from '../model/report.ts'
import type { GroupChoice } from './choose-scripts.ts'
import type { ScriptedPage } from './sample-pages.ts'

interface ChosenGroup extends GroupChoice {
  pages: readonly ScriptedPage[]
}

/** Describes the choices of all groups for the report, and the choice of most pages. */
export function describeGroups(
  chosen: readonly ChosenGroup[],
  pagePaths: ReadonlyMap<string, string>,
): ScriptChoice & { groups: ScriptGroup[] } {
  const groups = chosen.map(({ pages, choice, unlike }) => ({
    pages: pages.length,
    example:
      pages.map(({ page }) => pagePaths.get(page.key) ?? '').find(path => path !== '' && !unlike.has(path)) ?? '',
    ...toChoice(choice),
    unlike: [...unlike]
      .map(([page, alone]) => ({ page, ...toChoice(alone) }))
      .sort((a, b) => (a.page < b.page ? -1 : 1)),
  }))
  const counts = new Map<string, { choice: ScriptChoice; pages: number }>()
  for (const { pages, mode, reason } of groups) {
    const known = counts.get(mode)
    counts.set(mode, { choice: known?.choice ?? { mode, reason }, pages: (known?.pages ?? 0) + pages })
  }
  const [most] = [...counts.values()].sort((a, b) => b.pages - a.pages)
  return { ...(most?.choice ?? { mode: 'none', reason: null }), groups }
}

function toChoice({ mode, reason }: ScriptChoice): ScriptChoice {
  return { mode, reason }
}
