import type { OriginPage } from './list-pages.ts'

/**
 * Selects pages to open: the start page, the largest page, and the others spread over the folders of the site. Always selects
 * the same ones.
 *
 * @return paths, the start page first
 */
export function samplePages(pages: readonly OriginPage[], start: string, count: number): string[] {
  const chosen = [start]
  const rest = pages.filter(({ path }) => path !== start)
  const largest = rest.reduce<OriginPage | undefined>((a, b) => (a && a.bytes >= b.bytes ? a : b), undefined)
  if (largest) chosen.push(largest.path)
  const groups = new Map<string, string[]>()
  for (const { path } of rest) {
    if (path === largest?.path) continue
    const group = groupOf(path)
    groups.set(group, [...(groups.get(group) ?? []), path])
  }
  // The middle page of each group is typical; first and last pages are often indexes. Larger groups come first.
  const queues = [...groups.values()]
    .sort((a, b) => b.length - a.length || ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
    .map(paths => [...paths.slice(Math.floor(paths.length / 2)), ...paths.slice(0, Math.floor(paths.length / 2))])
  for (let round = 0; chosen.length < count && queues.some(queue => queue.length > round); round += 1) {
    for (const queue of queues) {
      const path = queue[round]
      if (path !== undefined && chosen.length < count) chosen.push(path)
    }
  }
  return chosen.slice(0, count)
}

/** Pages in the same folder are likely of one template. Only the first two folders of a path count. */
function groupOf(path: string): string {
  return path.split('/').slice(1, -1).slice(0, 2).join('/')
}
