import type { Page } from 'puppeteer'
import type { Place } from './place.ts'
import type { SiteSearch } from './site.ts'
import { settle, type Visitor } from './visitor.ts'

/** Words of the documents that the sites of the generators share. */
const usualQueries = ['hooks', 'validation', 'decorators']

/** Uses the search of a site in one place. Returns the number of hits for each query; none where the search does not work. */
export async function countHits(search: SiteSearch, place: Place, visitor: Visitor): Promise<number[]> {
  const [path = '', query] = search.path.split('?')
  const address = place.addressOf(path)
  const { queries = usualQueries } = search
  const none = queries.map(() => 0)
  if (address === undefined) return none
  if (query === undefined) {
    const { acted = none } = await visitor
      .visit(address, place.host, async page => {
        const counts: number[] = []
        for (const words of queries) counts.push(await type(page, search, words).catch(() => 0))
        return counts
      })
      .catch(() => ({ acted: none }))
    return acted
  }
  const counts: number[] = []
  for (const words of queries) {
    const url = `${address}?${query.replace('{query}', encodeURIComponent(words))}`
    const visit = await visitor.visit(url, place.host, page => countSettled(page, search)).catch(() => undefined)
    counts.push(visit?.acted ?? 0)
  }
  return counts
}

async function type(page: Page, search: SiteSearch, words: string): Promise<number> {
  const { opener, field = '' } = search
  // A closed dialog may contain the field without showing it.
  const isShown = await page.$eval(field, element => element.getClientRects().length > 0).catch(() => false)
  if (opener && !isShown) await page.click(opener)
  await page.waitForSelector(field, { visible: true, timeout: 5000 })
  await page.click(field, { count: 3 })
  await page.keyboard.press('Backspace')
  await settle(page)
  await page.type(field, words)
  return countSettled(page, search)
}

/** Waits until the hits stay unchanged, because the page may have to load an index first. Returns their number. */
async function countSettled(page: Page, { hits, frame }: SiteSearch): Promise<number> {
  const find = () => (frame === undefined ? page.mainFrame() : page.frames().find(each => each.name() === frame))
  // A frame cannot be read while it loads another page. It may also contain hidden entries.
  const read = async () =>
    (await find()
      ?.$$eval(
        hits,
        (elements, isInFrame) =>
          elements
            .filter(element => !isInFrame || element.getClientRects().length > 0)
            .map(element => (element.textContent ?? '').replace(/\s+/g, ' ').trim()),
        frame !== undefined,
      )
      .catch(() => [])) ?? []
  const until = performance.now() + 6000
  let before = await read()
  while (performance.now() < until) {
    await new Promise(done => setTimeout(done, 400))
    const now = await read()
    if (now.length > 0 && now.join('\n') === before.join('\n')) return now.length
    before = now
  }
  return before.length
}
