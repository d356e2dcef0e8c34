import type { Page } from 'puppeteer'
import type { CopiedPanel } from '../../in-page/panels/copied-panel.ts'
import { copyPanels } from './in-page.ts'

/** Max tabs of one list, and one step that selects the first tab again. */
const maxSteps = 13

/**
 * Copies the panels that a page contains only after a click on their tab.
 *
 * @param settle waits until the page is quiet.
 */
export async function copyAllPanels(page: Page, settle: () => Promise<void>): Promise<CopiedPanel[]> {
  for (let step = 0; step <= maxSteps; step += 1) {
    const { clicks, panels } = await copyPanels(page, step)
    if (clicks === 0) return panels
    await settle()
  }
  return []
}
