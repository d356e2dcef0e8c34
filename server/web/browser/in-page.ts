import type { ElementHandle, Frame, Page } from 'puppeteer'
import * as scripts from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { FrozenReference, NamedReference } from '../../in-page/browser/reference-signs.ts'
import type { SearchPart } from '../../in-page/browser/search-part.ts'
import type { SeenPage } from '../../in-page/browser/seen-page.ts'
import type { SerializedPage } from '../../in-page/browser/serialized-page.ts'
import type { OutlineModel } from '../../in-page/outline/outline-model.ts'
import type { CopiedPanel } from '../../in-page/panels/copied-panel.ts'
import { isForHost, type RecordedLogin } from '../login/recorded-login.ts'

/** The script to run before any script of a page. It records pending work and makes random values repeatable. */
export const watchPage: string = callScript(scripts.watchPage)

/** The script to run before any script of a page, see server/in-page/browser/restore-login.ts. */
export function restoreLogin({ landing, storage, cookies }: RecordedLogin): string {
  const { origin, hostname } = new URL(landing)
  const shown = cookies.filter(cookie => !cookie.httpOnly && isForHost(cookie, hostname))
  return callScript(
    scripts.restoreLogin,
    origin,
    storage,
    shown.map(({ name, value, path }) => `${name}=${value}; path=${path}`),
  )
}

/**
 * Returns an expression whose promise resolves with true after `quietTurns` turns of the page's event loop without a
 * change. It resolves with false once `maxMs` and `4 * quietTurns` turns have both passed.
 */
export function waitForQuiet(quietTurns: number, maxMs: number): string {
  return callScript(scripts.waitForQuiet, quietTurns, maxMs)
}

/** Scrolls through a page once, to load images that load when visible. Returns false if the page has none. */
export async function scrollThrough(page: Page, maxSteps: number): Promise<boolean> {
  return (await page.evaluate(callScript(scripts.scrollThrough, maxSteps))) as boolean
}

/** Returns the text that a reader sees. */
export async function readVisibleText(page: Page): Promise<string> {
  return (await page.evaluate(callScript(scripts.readVisibleText))) as string
}

/** Describes the list of the page's headings that its scripts made; null if there is none. */
export async function learnOutline(page: Page, served: string): Promise<OutlineModel | null> {
  return (await page.evaluate(callScript(scripts.learnOutline, served))) as OutlineModel | null
}

/** Presses the theme button. Returns the colours before; null if the page has no such button. */
export async function pressTheme(page: Page, times: number): Promise<string | null> {
  return (await page.evaluate(callScript(scripts.pressTheme, times))) as string | null
}

/** Returns the colours that a theme changes. */
export async function readColours(page: Page): Promise<string> {
  return (await page.evaluate(callScript(scripts.readColours))) as string
}

/** Returns what a visitor sees, and optionally the addresses of the page's links. */
export async function readSeen(page: Page, wantsLinks: boolean): Promise<SeenPage> {
  return (await page.evaluate(callScript(scripts.readSeen, wantsLinks))) as SeenPage
}

/** Returns the text of a page's menus and bars. */
export async function readMenuText(page: Page): Promise<string> {
  return (await page.evaluate(callScript(scripts.readMenuText))) as string
}

/** Finds a control of the page's search; null when the page has none. */
export async function findSearch(page: Page, part: SearchPart): Promise<ElementHandle | null> {
  const found = await page.evaluateHandle(callScript(scripts.findSearch, part))
  return found.asElement() as ElementHandle | null
}

/** Returns the texts of the links and of the other entries that a reader can choose. */
export async function readHits(frame: Frame): Promise<string[]> {
  return (await frame.evaluate(callScript(scripts.readHits))) as string[]
}

/**
 * Opens the collapsed parts of the API references in a page.
 *
 * @return the number of changes. More parts may have appeared.
 */
export async function openReferences(
  page: Page,
  references: readonly NamedReference[],
  budget: { clicks: number; timeMs: number },
): Promise<number> {
  return (await page.evaluate(callScript(scripts.openReferences, references, budget))) as number
}

/**
 * Copies the panels of tabs in the API references of a page, in steps; see server/in-page/browser/keep-panels.ts.
 *
 * @return the number of clicked tabs; 0 = this level of tabs is finished.
 */
export async function keepPanels(
  page: Page,
  references: readonly NamedReference[],
  { level, step }: { level: number; step: number },
): Promise<number> {
  return (await page.evaluate(callScript(scripts.keepPanels, references, level, step))) as number
}

/**
 * Copies the panels that a page contains only after a click on their tab, in steps; see server/in-page/browser/copy-panels.ts.
 *
 * @return the number of clicked tabs; 0 = all panels are copied.
 */
export async function copyPanels(page: Page, step: number): Promise<{ clicks: number; panels: CopiedPanel[] }> {
  return (await page.evaluate(callScript(scripts.copyPanels, step))) as { clicks: number; panels: CopiedPanel[] }
}

/** Removes the parts of the API references in a page that send requests. Returns the references. */
export async function freezeReferences(page: Page, references: readonly NamedReference[]): Promise<FrozenReference[]> {
  return (await page.evaluate(callScript(scripts.freezeReferences, references))) as FrozenReference[]
}

/** Returns the current page as HTML that needs no script. */
export async function serializePage(page: Page): Promise<SerializedPage> {
  return (await page.evaluate(callScript(scripts.serializePage))) as SerializedPage
}
