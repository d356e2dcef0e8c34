/** The words by which a control can be recognized. */
export function nameOf(element: Element): string {
  return ['aria-label', 'title', 'class', 'id'].map(name => element.getAttribute(name) ?? '').join(' ')
}
