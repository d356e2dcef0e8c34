import { findInside, findReferences, listTrees } from './find-references.ts'
import type { FrozenReference, NamedReference } from './reference-signs.ts'
import { insertPanels } from './tab-lists.ts'

/**
 * Removes the parts of the API references that send requests, and disables the forms that are left. The page must be read
 * directly afterwards, because its scripts may notice.
 *
 * @return the references, one per product.
 */
export default function freezeReferences(references: readonly NamedReference[]): FrozenReference[] {
  const frozen = new Map<string, { texts: string[]; removed: Map<string, readonly string[]> }>()
  insertPanels()
  for (const { signs, root } of findReferences(references)) {
    for (const panel of findInside(root, signs.panels ?? [])) showPanel(panel)
    const { texts, removed } = frozen.get(signs.name) ?? { texts: [], removed: new Map<string, readonly string[]>() }
    frozen.set(signs.name, { texts, removed })
    for (const [part, selectors] of Object.entries(signs.consoles)) {
      const elements = [...findInside(root, selectors), ...findNamed(listTrees(root), part)]
      if (elements.length > 0) removed.set(part, selectors)
      for (const element of elements) element.remove()
    }
    for (const form of findInside(root, ['form'])) disableForm(form)
    // Samples may be values that a script set. Only attributes and text are written out.
    for (const field of findInside(root, ['textarea', 'input[type="text"]'])) writeValue(field)
    texts.push(listTrees(root).map(readText).join('\n'))
  }
  return Array.from(frozen, ([name, { texts, removed }]) => ({
    name,
    text: texts.join('\n'),
    // A part that stands elsewhere in the page, or that the scripts made again, is not removed.
    removed: Array.from(removed)
      .flatMap(([part, selectors]) => (isGone(part, selectors) ? [part] : []))
      .sort(),
  }))
}

/** Finds the buttons and links with this text. */
function findNamed(trees: ReturnType<typeof listTrees>, name: string): Element[] {
  const controls = trees.flatMap(tree => Array.from(tree.querySelectorAll('button, a, [role="button"]')))
  return controls.filter(({ textContent }) => textContent?.trim() === name)
}

function isGone(part: string, selectors: readonly string[]): boolean {
  const trees = listTrees(document)
  return findNamed(trees, part).length === 0 && trees.every(tree => tree.querySelector(selectors.join(',')) === null)
}

/** Displays a panel under the name of its button. */
function showPanel(panel: Element): void {
  if (!(panel instanceof HTMLElement) || panel.style.display !== 'none') return
  const siblings = Array.from(panel.parentElement?.children ?? [])
  const row = siblings.find(sibling => sibling.querySelector(':scope > button'))
  const at = row ? siblings.indexOf(panel) - siblings.indexOf(row) - 1 : -1
  const name = document.createElement('p')
  name.append(row?.querySelectorAll(':scope > button')[at]?.textContent?.trim() ?? '')
  panel.style.display = 'block'
  panel.before(name)
}

/** Outside of a dialog, a form with this method does nothing when it is submitted, also without scripts. */
function disableForm(form: Element): void {
  form.setAttribute('method', 'dialog')
  form.removeAttribute('action')
  for (const button of form.querySelectorAll('button, input')) {
    button.removeAttribute('formaction')
    button.removeAttribute('formmethod')
  }
}

function writeValue(field: Element): void {
  if (field instanceof HTMLTextAreaElement) field.textContent = field.value
  else if (field instanceof HTMLInputElement) field.setAttribute('value', field.value)
}

function readText(tree: Document | Element | ShadowRoot): string {
  if (tree instanceof HTMLElement) return tree.checkVisibility() ? tree.innerText : ''
  if (!(tree instanceof ShadowRoot) || !tree.host.checkVisibility()) return ''
  return Array.from(tree.children, child =>
    child instanceof HTMLElement && child.checkVisibility() ? child.innerText : '',
  ).join('\n')
}
