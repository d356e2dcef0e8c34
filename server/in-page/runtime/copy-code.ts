import { nameOf } from './control-name.ts'

/** How far the code may be above a button that copies it. */
const maxAbove = 4

/** Copies the code beside a button whose name says that it copies. */
export function copyCode(control: Element): void {
  if (!/\bcopy/i.test(`${nameOf(control)} ${control.textContent}`)) return
  let box = control.parentElement
  for (let above = 0; box && above < maxAbove && !box.querySelector('pre'); above += 1) box = box.parentElement
  const blocks = Array.from(box?.querySelectorAll('pre') ?? [])
  const isBefore = (block: Element) => block.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING
  const code = blocks.filter(block => block.contains(control) || isBefore(block)).at(-1) ?? blocks[0]
  if (!code) return
  const copy = code.cloneNode(true) as Element
  for (const button of copy.querySelectorAll('button')) button.remove()
  // The browser may refuse, for example in a frame.
  void navigator.clipboard?.writeText(copy.textContent ?? '').catch(() => {})
}
