import type { Browser, Page } from 'puppeteer'
import type { Person } from '../../server/tenancy/person.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import type { TestServer } from '../support/server.ts'
import { createPerson, createToken } from './dashboard-client.ts'
import { inspectPage } from './inspect-page.ts'

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
  /** The faults of the page, see `inspectPage`. */
  inspect(): Promise<string[]>
  close(): Promise<void>
}

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
    inspect: () => inspectPage(tab),
    close: () => browser.close(),
  }
}
