import type { Page } from 'puppeteer'
import { readVisibleWords, subtractWords } from './visible-words.ts'
import { settle } from './visitor.ts'

/** Presses the first visible tab that is not selected. Returns the words that appear; undefined if there is no such tab. */
export async function pressTab(page: Page): Promise<string[] | undefined> {
  for (const tab of await page.$$('[role=tab][aria-selected=false]')) {
    if (!(await tab.evaluate(it => it.getClientRects().length > 0))) continue
    const before = await readVisibleWords(page)
    await tab.click().catch(() => {})
    await settle(page)
    return subtractWords(await readVisibleWords(page), before)
  }
  return undefined
}
