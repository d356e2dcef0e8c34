import type { Page } from 'puppeteer'
import * as scripts from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { SerializedPage } from '../../in-page/browser/serialized-page.ts'

/** The script to run before any script of a page: records its open work, makes random values repeatable. */
export const watchPage: string = callScript(scripts.watchPage)

/**
 * An expression whose promise gives true after `quietTurns` turns of the page's event loop without a change, or false after
 * `maxMs` and at least four times as many turns.
 */
export function waitForQuiet(quietTurns: number, maxMs: number): string {
  return callScript(scripts.waitForQuiet, quietTurns, maxMs)
}

/** Scrolls through a page once, for images that load when they become visible. False = nothing waits for it. */
export async function scrollThrough(page: Page, maxSteps: number): Promise<boolean> {
  return (await page.evaluate(callScript(scripts.scrollThrough, maxSteps))) as boolean
}

/** The text that a reader sees. */
export async function readVisibleText(page: Page): Promise<string> {
  return (await page.evaluate(callScript(scripts.readVisibleText))) as string
}

/** The text of a page's menus and bars. */
export async function readMenuText(page: Page): Promise<string> {
  return (await page.evaluate(callScript(scripts.readMenuText))) as string
}

/** Whether a framework has taken over the page. */
export async function isTakenOver(page: Page): Promise<boolean> {
  return (await page.evaluate(callScript(scripts.isTakenOver))) as boolean
}

/** The current page as HTML that needs no script. */
export async function serializePage(page: Page): Promise<SerializedPage> {
  return (await page.evaluate(callScript(scripts.serializePage))) as SerializedPage
}
