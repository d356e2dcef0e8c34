/**
 * Calls a function while the text of closed `details` is rendered, because a click opens them without scripts. Changes no
 * element, so the page's scripts notice nothing.
 */
export function withOpenDetails<T>(roots: readonly (Document | ShadowRoot)[], read: () => T): T {
  // A style sheet costs a layout before and after, so only the trees that need it get one.
  const closed = roots.filter(root => root.querySelector('details:not([open])'))
  if (closed.length === 0) return read()
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('details::details-content { content-visibility: visible !important; display: block !important }')
  for (const root of closed) root.adoptedStyleSheets.push(sheet)
  try {
    return read()
  } finally {
    for (const root of closed) root.adoptedStyleSheets = root.adoptedStyleSheets.filter(other => other !== sheet)
  }
}

/** Lists the document and its open shadow trees. */
export function listRoots(root: Document | ShadowRoot = document): (Document | ShadowRoot)[] {
  const inside = Array.from(root.querySelectorAll('*')).flatMap(({ shadowRoot }) =>
    shadowRoot ? listRoots(shadowRoot) : [],
  )
  return [root, ...inside]
}
