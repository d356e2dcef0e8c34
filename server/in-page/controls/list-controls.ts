const controls = 'button, summary, [role=tab], [role=button], [role=switch], [aria-expanded]'
const maxNameLength = 60

/**
 * Lists the controls of a page with a key that names each one in the page as it was fetched and as scripts changed it: its
 * element and name, and how many controls with both come before.
 */
export function listControls(): Map<string, HTMLElement> {
  const counts = new Map<string, number>()
  const found = new Map<string, HTMLElement>()
  for (const control of document.querySelectorAll<HTMLElement>(controls)) {
    const kind = `${control.localName} ${labelOf(control)}`
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    found.set(`${count} ${kind}`, control)
  }
  return found
}

/** Returns the text by which a reader knows a control. */
export function labelOf(control: Element): string {
  const text = control.getAttribute('aria-label') ?? control.textContent ?? ''
  return (text.replace(/\s+/g, ' ').trim() || (control.getAttribute('title') ?? '')).slice(0, maxNameLength)
}

/** Presses a control as a mouse does. Some scripts act when the button goes down, others when the control gets the focus. */
export function press(control: HTMLElement): void {
  const options = { bubbles: true, cancelable: true, button: 0 }
  control.dispatchEvent(new PointerEvent('pointerdown', options))
  control.dispatchEvent(new MouseEvent('mousedown', options))
  control.focus()
  control.dispatchEvent(new PointerEvent('pointerup', options))
  control.dispatchEvent(new MouseEvent('mouseup', options))
  control.click()
}

/** Returns the words that the page shows. */
export function shownWords(): Set<string> {
  return new Set(document.body.innerText.split(/\s+/))
}
