import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'puppeteer'
import { OperatorError } from '../../server/base/operator-error.ts'

const widths = [360, 768, 1280, 1920]
const themes = ['light', 'dark'] as const
/** A list of hundreds of rows is alike below. */
const maxHeight = 5000

/** The pages of an organization that need no id of an object. */
const sections = {
  overview: '',
  keys: 'keys',
  projects: 'projects',
  visitors: 'visitors?compare=previous',
  'visitors-agents': 'visitors?list=agents&coverage=1',
  'visitors-referrers': 'visitors?list=referrers',
  'visitors-failures': 'visitors?list=failures',
  'visitors-dates': 'visitors?range=custom&from=2026-02-30',
  exports: 'exports',
  'agent-jobs': 'agent-jobs',
  people: 'people',
  audit: 'audit',
  health: 'health',
  organizations: 'organizations',
}

/** For each kind of page that is about one object, the address of the first one in a list. */
const details = {
  site: ['projects', 'a[href*="sites/"]'],
  'project-settings': ['projects', 'a[href*="settings/"]'],
  export: ['exports', 'tbody a[href*="exports/"]'],
  'agent-job': ['agent-jobs', 'tbody a[href*="agent-jobs/"]'],
} as const

export interface Pages {
  /** Where the server is. */
  url: string
  /** The ids of the organizations, by the kind of their data. */
  organizations: Readonly<Record<string, string>>
  /** Further pages by their names, such as the report of an export. */
  others: Readonly<Record<string, string>>
  /** Only pages with this text in their name. */
  only: string
}

/**
 * Takes the pictures of all pages, and returns a sentence for each page that scrolls sideways or does not exist.
 *
 * @throws {OperatorError} if no page has the wanted text in its name.
 */
export async function takeEveryPage(browser: Browser, tab: Page, pages: Pages, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const addresses = { ...(await listDashboard(tab, pages)), ...(await listDocs(pages)), ...pages.others }
  const wanted = Object.entries(addresses).filter(([name]) => name.includes(pages.only))
  if (wanted.length === 0) {
    throw new OperatorError(
      `No page has ${pages.only} in its name. The pages are: ${Object.keys(addresses).join(', ')}`,
    )
  }
  const problems: string[] = []
  for (const [name, address] of wanted) {
    // The page to sign in is shown to those who are not signed in.
    const own = name.startsWith('sign-in') ? await (await browser.createBrowserContext()).newPage() : tab
    problems.push(...(await takePage(own, name, address, folder)))
  }
  return problems
}

async function listDashboard(tab: Page, { url, organizations }: Pages): Promise<Record<string, string>> {
  const found: Record<string, string> = { 'sign-in': `${url}/dashboard/sign-in` }
  for (const [data, id] of Object.entries(organizations)) {
    const home = `${url}/dashboard/${id}/`
    for (const [name, path] of Object.entries(sections)) found[`${name}-${data}`] = home + path
    for (const [name, [list, link]] of Object.entries(details)) {
      await tab.goto(home + list)
      const address = await (await tab.$(link))?.getProperty('href')
      if (address) found[`${name}-${data}`] = String(await address.jsonValue())
    }
  }
  return found
}

/** The pages of the documentation, as its sitemap lists them. */
async function listDocs({ url }: Pages): Promise<Record<string, string>> {
  const sitemap = await (await fetch(`${url}/docs/sitemap.xml`)).text()
  const pages = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) => new URL(address).pathname)
  const name = (path: string) => `docs${path.slice('/docs'.length).replaceAll(/\W+/g, '-')}`
  return Object.fromEntries(pages.map(path => [name(path), url + path]))
}

async function takePage(tab: Page, name: string, address: string, folder: string): Promise<string[]> {
  const answer = await tab.goto(address, { waitUntil: 'load' })
  const status = answer?.status() ?? 200
  if (status === 404) return [`${name}: there is no page at ${address}`]
  const problems: string[] = []
  for (const theme of themes) {
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
    for (const width of widths) {
      await tab.setViewport({ width, height: 900 })
      const size = tab.evaluate('[document.documentElement.scrollWidth, document.documentElement.scrollHeight]')
      const [content, height] = (await size) as [number, number]
      if (content > width) problems.push(`${name}: at ${width} px, the content has ${content} px (${theme})`)
      // The tool of the browser would draw charts anew for a window of the height of the page.
      const clip = { x: 0, y: 0, width, height: Math.min(height, maxHeight) }
      const file = join(folder, `${name}-${width}-${theme}.png`)
      await writeFile(file, await tab.screenshot({ clip, captureBeyondViewport: true }))
    }
  }
  return problems
}
