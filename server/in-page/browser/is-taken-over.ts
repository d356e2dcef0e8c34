/**
 * Decides whether a framework controls the page: frameworks add own properties to elements. Without a framework, only forms
 * and select elements have own properties (numbers), and the document has `location`.
 */
export default function isTakenOver(): boolean {
  const isMarked = (node: Node) => Object.keys(node).some(name => !/^\d+$|^location$/.test(name))
  return isMarked(document) || Array.from(document.querySelectorAll('*')).some(isMarked)
}
