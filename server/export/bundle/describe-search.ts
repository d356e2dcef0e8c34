import type { ExportReport, PlaceName } from '../model/report.ts'

const where: Record<PlaceName, string> = {
  root: 'at the root of a host',
  folder: 'in a folder of a host',
  file: 'from file://',
}

const places = ['root', 'folder', 'file'] as const

/** Says where the search of the site finds less than at the origin, and what helps; empty when it finds as much. */
export function describeSearch({
  siteSearch,
  offlineSearch,
}: Pick<ExportReport, 'siteSearch' | 'offlineSearch'>): string[] {
  const lost = (siteSearch?.words ?? []).map(found => ({
    found,
    none: places.filter(place => found[place] === 0),
    fewer: places.filter(place => found[place] > 0 && found[place] < found.origin),
  }))
  // The word that is lost in the most places is the best example.
  const [worst] = lost.toSorted((a, b) => b.none.length - a.none.length || b.fewer.length - a.fewer.length)
  if (!worst || worst.none.length + worst.fewer.length === 0) return []
  const { found, none, fewer } = worst
  const losses = [
    ...fewer.map(place => `only ${found[place]} ${where[place]}`),
    ...(none.length > 0 ? [`none ${join(none.map(place => where[place]))}`] : []),
  ]
  const hits = found.origin === 1 ? '1 hit' : `${found.origin} hits`
  const remedy = offlineSearch
    ? 'The packed search works everywhere.'
    : 'Export with --offline-search to get a search that works everywhere.'
  return [`The search of the site finds ${hits} for "${found.word}" at the origin, and ${join(losses)}. ${remedy}`]
}

/** Says whether the bundle can be searched offline: by the packed search, or by that of the site. */
export function describeOfflineSearch(report: Pick<ExportReport, 'siteSearch' | 'offlineSearch'>): string {
  const { siteSearch, offlineSearch } = report
  if (offlineSearch) {
    const { pages, sections } = offlineSearch
    return `packed: it covers ${pages} pages with ${sections} sections, and works without a server`
  }
  if (!siteSearch) return 'none was packed, and a search of the site was not compared'
  const { words } = siteSearch
  const works = places.filter(place => words.every(found => found[place] >= found.origin))
  const compared = `compared with the origin for ${words.length === 1 ? '1 word' : `${words.length} words`}`
  if (works.length === places.length)
    return `works: the site’s own search finds as much wherever the bundle is opened, ${compared}`
  if (works.length > 0)
    return `works in part: the site’s own search finds as much ${join(works.map(place => where[place]))}, ${compared}`
  return `does not work fully: the site’s own search finds less than at the origin, ${compared}`
}

/** Says that the search of the site asks its server, or that nothing is known about it; nothing when it was compared. */
export function noteSearch({ server, isUnknown }: { server: string | null; isUnknown: boolean }, hasSearch: boolean) {
  const remedy = hasSearch
    ? 'The packed search takes its place.'
    : 'Export with --offline-search to get a search that works everywhere.'
  if (server !== null)
    return [`The search of the site asks its server for ${server}, so it finds nothing in the bundle. ${remedy}`]
  if (!isUnknown) return []
  const advice = hasSearch ? '' : ' --offline-search adds a search that works everywhere.'
  return [`The search of the site found nothing at the origin either, so it was not compared.${advice}`]
}

/** Lists the places where the search of the site finds nothing. */
export function listDeadPlaces(siteSearch: ExportReport['siteSearch'], server: string | null): PlaceName[] {
  const words = siteSearch?.words ?? []
  return places.filter(place => server !== null || (words.length > 0 && words.every(found => found[place] === 0)))
}

function join(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}
