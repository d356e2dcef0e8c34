import type { Page } from 'puppeteer'
import * as scripts from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { ControlState, FollowedLink, PressedControl, PressStep } from '../../in-page/panels/pressed-control.ts'

/** What the controls of a page do. */
export interface ControlUse {
  pressed: PressedControl[]
  states: ControlState[]
}

export const noUse: ControlUse = { pressed: [], states: [] }

/** Twelve controls, each pressed at most three times. */
const maxSteps = 40

/**
 * Presses the controls of a page at the origin. A press that leaves the page ends it.
 *
 * @param onlyContent whether to press only those in the content.
 */
export async function pressControls(page: Page, settle: () => Promise<void>, onlyContent = false): Promise<ControlUse> {
  const use: ControlUse = { pressed: [], states: [] }
  const address = page.url()
  for (let step = 0; step <= maxSteps; step += 1) {
    const told = (await page
      .evaluate(callScript(scripts.pressControls, step, onlyContent))
      .catch(() => null)) as PressStep | null
    if (!told || page.url() !== address) return use
    if (told.pressed) use.pressed.push(told.pressed)
    if (told.state) use.states.push(told.state)
    if (!told.isPressed) return use
    await settle()
  }
  return use
}

/** Presses controls that worked at the origin. Returns the names of those that do not do the same on this page. */
export async function findDeadControls(page: Page, expected: readonly PressedControl[]): Promise<string[]> {
  if (expected.length === 0) return []
  return (await page.evaluate(callScript(scripts.tryControls, expected)).catch(() => [])) as string[]
}

/**
 * Follows a link that scripts follow in place of the browser. Returns the heading of the page that it leads to; null if no
 * other page is shown. Does nothing on a page that no framework controls.
 *
 * @param name text of the link; null = any.
 */
export async function followLink(
  page: Page,
  settle: () => Promise<void>,
  { isTakenOver, name = null }: { isTakenOver: boolean; name?: string | null },
): Promise<FollowedLink | null> {
  if (!isTakenOver) return null
  try {
    const clicked = (await page.evaluate(callScript(scripts.followLink, name))) as FollowedLink | null
    if (!clicked) return null
    await settle()
    const heading = (await page.evaluate(callScript(scripts.readHeading))) as string
    return heading === clicked.heading ? null : { name: clicked.name, heading }
  } catch {
    // The browser left the page.
    return null
  }
}
