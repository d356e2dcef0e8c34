import type { NamedReference } from './reference-signs.ts'

/** An API reference in the page. */
export interface FoundReference {
  signs: NamedReference
  root: Element
}

type Tree = Document | Element | ShadowRoot

/** Lists the outermost elements that contain a reference, also those in open shadow trees. */
export function findReferences(references: readonly NamedReference[]): FoundReference[] {
  const found: FoundReference[] = []
  for (const tree of listTrees(document)) {
    for (const signs of references) {
      for (const root of tree.querySelectorAll(signs.roots.join(','))) {
        if (!found.some(other => contains(other.root, root))) found.push({ signs, root })
      }
    }
  }
  return found.filter(({ root }, at) => !found.some((other, index) => index !== at && contains(other.root, root)))
}

/** Lists the elements within a root that match one of the selectors, also those in open shadow trees. */
export function findInside(root: Element, selectors: readonly string[]): Element[] {
  if (selectors.length === 0) return []
  const selector = selectors.join(',')
  return listTrees(root).flatMap(tree => Array.from(tree.querySelectorAll(selector)))
}

/** Lists an element or a document, and the open shadow trees inside. */
export function listTrees(root: Tree): Tree[] {
  const own = root instanceof Element && root.shadowRoot ? listTrees(root.shadowRoot) : []
  const inside = Array.from(root.querySelectorAll('*')).flatMap(({ shadowRoot }) =>
    shadowRoot ? listTrees(shadowRoot) : [],
  )
  return [root, ...own, ...inside]
}

/** Decides whether an element is the root or inside it, across shadow trees. */
function contains(root: Element, element: Element): boolean {
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode)
    if (at === root) return true
  return false
}
