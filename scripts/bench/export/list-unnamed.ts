import type { PlaceVerdict } from './judge.ts'
import { placeNames } from './place.ts'
import type { Copy } from './run-site.ts'

/** The words of the report for a kind of fault. */
const namedBy = {
  text: /are not shown|headings say/,
  request: /request fails|error:|are not shown/,
  theme: /theme button|controls/,
  tabs: /controls/,
  click: /link|controls/,
}

/**
 * Lists what a reader misses in a place and Quire's report does not name there: it would claim more than there is. The report may
 * name the fault of another page, because it opens other pages.
 *
 * @param hits of the search at the origin, for each query.
 */
export function listUnnamed({ verdict, report }: Copy, hits: number[] | undefined): string[] {
  if (!verdict || !report) return []
  const { differences, siteSearch, missingFiles, notes, frozenReferences } = report
  const isUnknown = notes.some(note => note.includes('so it was not compared'))
  return placeNames.flatMap(name => {
    const said = differences.filter(({ place }) => place === name)
    const names = (pattern: RegExp) =>
      said.some(({ what, loss }) => pattern.test(loss ? `${what} are not shown` : what))
    const faults = listFaults(verdict.places[name]).filter(([kind]) => !names(namedBy[kind]))
    const isSaid = { request: missingFiles.length > 0, tabs: (frozenReferences?.length ?? 0) > 0 }
    const unsaid = faults.filter(([kind]) => !(kind in isSaid && isSaid[kind as keyof typeof isSaid]))
    const lines = unsaid.map(([, what]) => `${name}: ${what}`)
    const given = verdict.places[name].hits
    const isFewer = hits?.some((count, at) => (given?.[at] ?? 0) < count) ?? false
    if (isFewer && !isUnknown && !siteSearch?.words.some(words => words[name] < words.origin))
      lines.push(`${name}: hits ${given} <> ${hits}`)
    return lines
  })
}

type Kind = keyof typeof namedBy

function listFaults({ same, opened, leastShare, failed, errors, outbound, ...works }: PlaceVerdict): [Kind, string][] {
  const faults: [Kind, string][] = []
  const add = (kind: Kind, what: string, isFault: boolean) => void (isFault && faults.push([kind, what]))
  add('text', `${opened - same} pages with other words`, leastShare < 1)
  add('request', `failed ${failed[0]}`, failed.length > 0)
  add('request', `outbound ${outbound[0]}`, outbound.length > 0)
  add('request', `error ${errors[0]}`, errors.length > 0)
  add('theme', 'theme button dead', works.themeWorks === false)
  add('tabs', 'tabs dead', works.tabsWork === false)
  add('click', 'click', works.clickWorks === false)
  return faults
}
