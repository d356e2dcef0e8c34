import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer'
import { referenceProducts } from '../../../server/products/products-reference.ts'
import { freezeReferences } from '../../../server/web/browser/in-page.ts'
import { openAllParts } from '../../../server/web/browser/show-references.ts'
import { settle } from './visitor.ts'

const references = referenceProducts.flatMap(({ name, reference }) => (reference ? [{ ...reference, name }] : []))
const maxMs = 120_000

/** Opens the collapsed parts of an API reference and removes its console, so that a page shows what its frozen copy must show. */
export async function expandReferences(page: Page): Promise<void> {
  // Some references draw an operation only when it comes into view.
  await page.evaluate(scrollDown)
  await settle(page)
  const endsAt = performance.now() + maxMs
  await openAllParts({
    page,
    references,
    async settle() {
      await sleep(300)
      await settle(page)
    },
    timeLeftMs: () => endsAt - performance.now(),
  })
  await freezeReferences(page, references)
}

/** Runs inside a page, so it must be self-contained. */
async function scrollDown(): Promise<void> {
  const { documentElement } = document
  for (
    let at = 0, steps = 0;
    at < documentElement.scrollHeight && steps < 60;
    at += window.innerHeight - 100, steps += 1
  ) {
    window.scrollTo(0, at)
    await new Promise(resolve => setTimeout(resolve, 60))
  }
  window.scrollTo(0, 0)
}
