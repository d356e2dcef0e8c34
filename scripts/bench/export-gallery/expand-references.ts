import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer'
import { referenceProducts } from '../../../server/products/products-reference.ts'
import { freezeReferences, openReferences } from '../../../server/web/browser/in-page.ts'
import { settle } from '../export/visitor.ts'

const references = referenceProducts.flatMap(({ name, reference }) => (reference ? [{ ...reference, name }] : []))
const maxRounds = 12

/** Opens the collapsed parts of an API reference and removes its console, so that a page shows what its frozen copy must show. */
export async function expandReferences(page: Page): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const changes = await openReferences(page, references, { clicks: 4000, timeMs: 10_000 })
    if (changes === 0) break
    await sleep(300)
    await settle(page)
  }
  await freezeReferences(page, references)
}
