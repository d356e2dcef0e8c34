import { listRoots, withOpenDetails } from './open-details.ts'

/** Returns the rendered text of the page, also in its open shadow trees and closed `details`. */
export default function readVisibleText(): string {
  const roots = listRoots()
  return withOpenDetails(roots, () => roots.map(readText).join('\n'))
}

/** For an element that is not rendered, `innerText` is the text of its nodes. */
function readText(root: Document | ShadowRoot): string {
  if (root instanceof Document) return root.body?.checkVisibility() ? root.body.innerText : ''
  if (!root.host.checkVisibility()) return ''
  return Array.from(root.childNodes, node => {
    if (node instanceof HTMLElement) return node.checkVisibility() ? node.innerText : ''
    return node instanceof Text ? node.data : ''
  }).join('\n')
}
