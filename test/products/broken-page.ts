import { createSite } from '../../server/export/model/site.ts'
import { createProductRemoval } from '../../server/products/product-removal.ts'

/** Removes a product from a page that opens elements and never closes them. Runs in a thread of the test. */
export function cleanBrokenPage(openElements: number): string {
  const site = createSite('docs.example.com', new URL('http://127.0.0.1:3000/'))
  const features = { search: false, assistant: false, analytics: false, playground: false }
  const removal = createProductRemoval(features, null, site)
  const text = `<div class="addsearch">${'<i><p>'.repeat(openElements / 2)}`
  return removal.clean({ text, charset: 'utf-8' }, new URL('http://127.0.0.1:3000/guide/')).raw.text
}
