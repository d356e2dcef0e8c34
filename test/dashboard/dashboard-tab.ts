import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer'
import type { Person } from '../../server/tenancy/person.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import type { TestServer } from '../support/server.ts'
import { createPerson, createToken } from './dashboard-client.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A browser that is signed in to the dashboard. */
export interface DashboardTab {
  tab: Page
  person: Person
  /** Errors of pages and their scripts, and requests to other servers. */
  faults: string[]
  /** Opens a page below that of the organization. */
  go(path: string): Promise<void>
  /** Presses a button or a link with this text, or this name for screen readers, and waits for the next page. */
  press(text: string): Promise<void>
  /** The words that the page shows. */
  words(): Promise<string>
  /** The faults of the page at three widths, in light and dark: violations that axe finds, and content wider than the window. */
  inspect(): Promise<string[]>
  close(): Promise<void>
}

const views = [360, 768, 1920].flatMap(width => ['light', 'dark'].map(scheme => ({ width, scheme })))

/** Signs in a member of the organization, or an operator, with a link, as people do. */
export async function openDashboardTab(
  server: TestServer,
  organizationId: string,
  { operator = false } = {},
): Promise<DashboardTab> {
  const browser: Browser = await openBrowser()
  const tab = await browser.newPage()
  const faults: string[] = []
  tab.on('pageerror', error => faults.push(String(error)))
  tab.on('console', message => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url ?? ''}`)
  })
  tab.on('request', request => {
    if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(server.url)) faults.push(request.url())
  })
  const person = operator
    ? await createPerson(server, null, `Operator for ${organizationId}`)
    : await createPerson(server, organizationId)
  const token = await createToken(server, person)
  await tab.goto(`${server.url}/dashboard/sign-in?token=${token}`)
  await Promise.all([tab.waitForNavigation(), tab.click('form button')])
  // Tests judge the pages that they open, not the first one.
  faults.length = 0
  return {
    tab,
    person,
    faults,
    async go(path) {
      await tab.goto(`${server.url}/dashboard/${organizationId}${path}`)
    },
    async press(text) {
      const roles = ['button', 'link'].map(role => `main ::-p-aria([name="${text}"][role="${role}"])`)
      const found = await tab.waitForSelector(roles.join(', '))
      await Promise.all([tab.waitForNavigation(), found?.click()])
    },
    words: () => tab.$eval('main', main => (main as HTMLElement).innerText),
    async inspect() {
      const found: string[] = []
      for (const { width, scheme } of views) {
        await tab.setViewport({ width, height: 900 })
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        const { violations, passes } = (await tab.evaluate(
          `(() => { ${axe} })(); window.axe.run(document)`,
        )) as AxeResults
        if (passes.length < 10) found.push(`${width} px, ${scheme}: axe found only ${passes.length} rules to check`)
        for (const { id, nodes } of violations) found.push(`${width} px, ${scheme}: ${id} ${nodes[0]?.html}`)
        const content = await tab.evaluate(() => document.documentElement.scrollWidth)
        if (content > width) found.push(`${width} px, ${scheme}: the content has ${content} px`)
      }
      return found
    },
    close: () => browser.close(),
  }
}
