import type { Page } from 'puppeteer'
import { pageKey } from './list-pages.ts'
import type { Place } from './place.ts'
import { readVisibleWords } from './visible-words.ts'
import { settle } from './visitor.ts'

/** The page that a click opens. */
export interface Landing {
  /** Key of the page in the address bar; undefined if it lies elsewhere. */
  key: string | undefined
  words: string[]
}

interface Link {
  href: string
  /** Whether it is in a menu or bar. */
  isNavigation: boolean
}

/**
 * Chooses the link to click: from a menu if there is one, to another page of the site, always the same.
 *
 * @param keys keys of the pages of the site
 * @return key of the page that the link leads to
 */
export async function chooseLink(page: Page, place: Place, keys: ReadonlySet<string>): Promise<string | undefined> {
  const current = place.keyOf(page.url())
  const links = await page.evaluate(listVisibleLinks)
  const fit = links.flatMap(({ href, isNavigation }) => {
    const key = place.keyOf(href)
    return key !== undefined && key !== current && keys.has(key) ? [{ key, isNavigation }] : []
  })
  const inMenus = fit.filter(({ isNavigation }) => isNavigation)
  const choice = inMenus.length > 0 ? inMenus : fit
  // A link in the middle is neither the logo nor a link of the footer.
  return choice[Math.floor(choice.length / 2)]?.key
}

/** Clicks the link to a page and returns where it leads; undefined if the page shows no such link. */
export async function clickLink(page: Page, place: Place, key: string): Promise<Landing | undefined> {
  const links = await page.evaluate(listVisibleLinks)
  const fit = links.filter(({ href }) => place.keyOf(href) === key)
  const link = fit.find(({ isNavigation }) => isNavigation) ?? fit[0]
  if (!link) return undefined
  const handle = await page.evaluateHandle(findLink, link)
  const element = handle.asElement()
  if (!element) return undefined
  const before = page.url()
  await element.evaluate(it => (it as Element).scrollIntoView({ block: 'center', behavior: 'instant' }))
  await (element as unknown as { click(): Promise<void> }).click().catch(() => {})
  // A slow page may not have begun to leave when the click returns.
  await page.waitForFunction(url => location.href !== url, { timeout: 3000 }, before).catch(() => {})
  await settle(page)
  return { key: place.keyOf(page.url()), words: await readVisibleWords(page) }
}

/** Whether a click in a copy leads to the page that it leads to at the origin. */
export function isSamePage(key: string, landing: Landing | undefined): boolean {
  return landing?.key !== undefined && pageKey(landing.key) === key
}

// The functions below run inside a page, so each must be self-contained.

function listVisibleLinks(): Link[] {
  const navigation =
    'nav, aside, [role=navigation], [class*=sidebar i], [id*=sidebar i], [class*=menu i], [class*=nav i]'
  return [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
    .filter(
      link =>
        link.getClientRects().length > 0 &&
        link.target !== '_blank' &&
        link.checkVisibility({ visibilityProperty: true }),
    )
    .map(link => ({ href: link.href, isNavigation: link.closest(navigation) !== null }))
}

function findLink({ href, isNavigation }: Link): Element | null {
  const navigation =
    'nav, aside, [role=navigation], [class*=sidebar i], [id*=sidebar i], [class*=menu i], [class*=nav i]'
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter(
    link =>
      link.getClientRects().length > 0 &&
      link.target !== '_blank' &&
      link.checkVisibility({ visibilityProperty: true }),
  )
  return links.find(link => link.href === href && (link.closest(navigation) !== null) === isNavigation) ?? null
}
