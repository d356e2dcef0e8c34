import type { Page } from 'puppeteer'
import { readVisibleWords, subtractWords } from './visible-words.ts'
import { settle } from './visitor.ts'

/** A tab that shows something at the origin: the words before it is pressed, and those that appear. */
export interface WorkingTab {
  before: string[]
  words: string[]
}

/** Presses the first visible tab that is not selected. Returns what it changes; undefined if there is no such tab. */
export async function pressTab(page: Page): Promise<WorkingTab | undefined> {
  for (const tab of await page.$$('[role=tab][aria-selected=false]')) {
    if (!(await tab.evaluate(it => it.getClientRects().length > 0))) continue
    const before = await readVisibleWords(page)
    await tab.click().catch(() => {})
    await settle(page)
    return { before, words: subtractWords(await readVisibleWords(page), before) }
  }
  return undefined
}

/**
 * Decides whether a page shows what a tab shows at the origin. A frozen page may show the panels of all tabs one below another, so
 * words that it shows without a press count too.
 */
export async function showsPanel(page: Page, { before, words }: WorkingTab): Promise<boolean> {
  await pressTab(page)
  const appeared = subtractWords(await readVisibleWords(page), before)
  return subtractWords(words, appeared).length === 0
}
