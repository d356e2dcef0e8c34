/**
 * Whether a framework has taken over the page: frameworks put own properties on elements. Without one, only lists of fields
 * and choices have own properties (numbers), and the document has `location`.
 */
export default function isTakenOver(): boolean {
  const isMarked = (node: Node) => Object.keys(node).some(name => !/^\d+$|^location$/.test(name))
  return isMarked(document) || Array.from(document.querySelectorAll('*')).some(isMarked)
}
