const lists = 'ul, ol, menu, [role=group], [role=menu], [class*=items], [class*=menu]'

/** Finds the element that a control opens: by id, otherwise the list next to the control or next to one of its ancestors. */
export function findPanel(control: Element): HTMLElement | null {
  const id = control.getAttribute('aria-controls')
  const named = id ? document.getElementById(id) : null
  if (named) return named
  for (let box: Element | null = control, depth = 0; box && depth < 3; box = box.parentElement, depth += 1) {
    for (let next = box.nextElementSibling; next; next = next.nextElementSibling)
      if (next.matches(lists) && !next.contains(control)) return next as HTMLElement
    if (box.matches('li, section, nav')) break
  }
  return null
}

/** Opens or closes a panel. */
export function togglePanel(control: Element, panel: HTMLElement): void {
  const open = !isShown(panel)
  if (control.hasAttribute('aria-expanded')) control.setAttribute('aria-expanded', String(open))
  // Style sheets hide panels by a class on the item or the list, such as menu__list-item--collapsed.
  for (const element of [control, panel, control.closest('li, section'), panel.parentElement]) {
    for (const name of element ? Array.from(element.classList) : [])
      if (/collapsed$/.test(name) && open) element?.classList.remove(name)
  }
  panel.hidden = !open
  panel.style.display = open ? '' : 'none'
  if (!open) return
  if (!isShown(panel)) panel.style.display = 'block'
  if (!isShown(panel))
    Object.assign(panel.style, { height: 'auto', maxHeight: 'none', visibility: 'visible', opacity: '1' })
}

function isShown(panel: HTMLElement): boolean {
  return panel.getClientRects().length > 0 && panel.offsetHeight > 0
}
