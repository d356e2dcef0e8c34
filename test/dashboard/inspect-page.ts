import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'puppeteer'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const widths = [360, 768, 1920]
/** The rules that can find something else in the dark. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** The rows of a long list are alike, so ten of them are enough. */
const looked = { exclude: ['tbody tr:nth-child(n + 11)'] }

/**
 * Returns the faults of a page at three widths, in light and dark: violations that axe finds, and content wider than the
 * window. All rules run in the light, and in the dark those about colors.
 */
export async function inspectPage(tab: Page): Promise<string[]> {
  await tab.evaluate(`(() => { ${axe} })()`)
  const found: string[] = []
  for (const width of widths) {
    await tab.setViewport({ width, height: 900 })
    for (const scheme of ['light', 'dark']) {
      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      const { violations, passes } = await runAxe(
        tab,
        scheme === 'light' ? {} : { runOnly: { type: 'rule', values: colorRules } },
      )
      const least = scheme === 'light' ? 11 : 1
      if (passes < least) violations.push(`axe found only ${passes} rules to check`)
      const content = await tab.evaluate(() => document.documentElement.scrollWidth)
      if (content > width) violations.push(`the content has ${content} px`)
      found.push(...violations.map(violation => `${width} px, ${scheme}: ${violation}`))
    }
  }
  return found
}

/** Returns the violations and the number of rules that pass. Axe takes longer when it describes all elements that pass. */
async function runAxe(tab: Page, options: RunOptions): Promise<{ violations: string[]; passes: number }> {
  const given = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations, passes } = (await tab.evaluate(
    `window.axe.run(${JSON.stringify(looked)}, ${given})`,
  )) as AxeResults
  return {
    violations: violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`),
    passes: passes.length,
  }
}
