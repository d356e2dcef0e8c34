import type { Page } from 'puppeteer'
import type { SiteApp, SiteSearch } from './site.ts'
import { settle, type Visitor } from './visitor.ts'

/** Results of using a site's own scripts. */
export interface AppResult {
  hydrated: boolean
  themeToggles: boolean
  /** Path and heading that a click in the menu leads to. */
  landsOn: string
  /** Failed requests and errors during the use. */
  faults: string[]
}

/** Uses the site at a root: clicks the theme button and a link in the menu. */
export async function useApp(app: SiteApp, root: string, visitor: Visitor): Promise<AppResult> {
  const { look, acted } = await visitor.visit(new URL(app.clickFrom, root).href, new URL(root).host, async page => {
    const hydrated = Boolean(await page.evaluate(app.hydrated))
    const before = await page.evaluate(app.theme)
    await page.$eval(app.themeToggle, pressOrChoose).catch(() => {})
    await settle(page)
    const themeToggles = (await page.evaluate(app.theme)) !== before
    const landsOn = await clickMenu(page, app)
    return { hydrated, themeToggles, landsOn }
  })
  const result = acted ?? { hydrated: false, themeToggles: false, landsOn: '' }
  return { ...result, faults: [...look.failed, ...look.errors, ...look.outbound] }
}

/** Clicks a button, or selects the next option of a list. Sent to the page as text. */
function pressOrChoose(control: Element): void {
  if (control instanceof HTMLSelectElement) {
    control.selectedIndex = (control.selectedIndex + 1) % control.options.length
    control.dispatchEvent(new Event('change', { bubbles: true }))
  } else (control as HTMLElement).click()
}

async function clickMenu(page: Page, app: SiteApp): Promise<string> {
  const clicked = await page.$$eval(
    app.menuLinks,
    (links, wanted) => {
      const bare = (path: string) => path.replace(/(\/index)?(\.html)?\/?$/, '')
      const link = links.find(link => bare((link as HTMLAnchorElement).pathname) === bare(wanted))
      ;(link as HTMLElement | undefined)?.click()
      return link !== undefined
    },
    app.clickTo,
  )
  if (!clicked) return 'the link is not in the menu'
  await settle(page)
  return page.evaluate(() => {
    const heading = document.querySelector('main h1, h1')?.textContent ?? ''
    return `${location.pathname.replace(/(\/index)?(\.html)?\/?$/, '')} "${heading.trim()}" "${document.title}"`
  })
}

/** Runs the site's own search; returns a list of hits for each query. */
export async function useSearch(search: SiteSearch, root: string, visitor: Visitor): Promise<string[][]> {
  const { host } = new URL(root)
  if (search.path.includes('{query}')) {
    const found: string[][] = []
    for (const query of search.queries) {
      const url = new URL(search.path.replace('{query}', encodeURIComponent(query)), root).href
      const { acted } = await visitor.visit(url, host, page => readHits(page, search))
      found.push(acted ?? [])
    }
    return found
  }
  const { acted } = await visitor.visit(new URL(search.path, root).href, host, async page => {
    const found: string[][] = []
    for (const query of search.queries) found.push(await type(page, search, query).catch(() => []))
    return found
  })
  return acted ?? []
}

async function type(page: Page, search: SiteSearch, query: string): Promise<string[]> {
  const { opener, field = '' } = search
  // A closed dialog may contain the field without showing it.
  const isShown = await page.$eval(field, element => element.getClientRects().length > 0).catch(() => false)
  if (opener && !isShown) await page.click(opener)
  await page.waitForSelector(field, { visible: true, timeout: 5000 })
  await page.click(field, { count: 3 })
  await page.keyboard.press('Backspace')
  await settle(page)
  await page.type(field, query)
  return readHits(page, search)
}

/** Waits until the hits stay unchanged, because the page may have to load an index first. Returns the hits. */
async function readHits(page: Page, { hits, frame }: SiteSearch): Promise<string[]> {
  const find = () => (frame === undefined ? page.mainFrame() : page.frames().find(each => each.name() === frame))
  const readAll = () =>
    find()?.$$eval(
      hits,
      (elements, isInFrame) =>
        elements
          .filter(element => !isInFrame || element.getClientRects().length > 0)
          .map(element => (element.textContent ?? '').replace(/\s+/g, ' ').trim()),
      frame !== undefined,
    )
  // A frame cannot be read while it loads another page.
  const read = async () => (frame === undefined ? await readAll() : await readAll()?.catch(() => [])) ?? []
  const until = performance.now() + 6000
  let before = await read()
  while (performance.now() < until) {
    await new Promise(done => setTimeout(done, 400))
    const now = await read()
    if (now.length > 0 && now.join('\n') === before.join('\n')) return now
    before = now
  }
  return before
}
