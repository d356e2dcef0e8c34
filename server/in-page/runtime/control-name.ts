/** Returns the text and attributes that identify a control. */
export function nameOf(element: Element): string {
  return ['aria-label', 'title', 'class', 'id'].map(name => element.getAttribute(name) ?? '').join(' ')
}
