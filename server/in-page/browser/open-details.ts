/**
 * Calls a function while the text of closed `details` is rendered, because a click opens them without scripts. Changes no
 * element, so the page's scripts notice nothing.
 */
export function withOpenDetails<T>(roots: readonly (Document | ShadowRoot)[], read: () => T): T {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('details::details-content { content-visibility: visible !important; display: block !important }')
  for (const root of roots) root.adoptedStyleSheets.push(sheet)
  try {
    return read()
  } finally {
    for (const root of roots) root.adoptedStyleSheets = root.adoptedStyleSheets.filter(other => other !== sheet)
  }
}

/** Lists the document and its open shadow trees. */
export function listRoots(root: Document | ShadowRoot = document): (Document | ShadowRoot)[] {
  const inside = Array.from(root.querySelectorAll('*')).flatMap(({ shadowRoot }) =>
    shadowRoot ? listRoots(shadowRoot) : [],
  )
  return [root, ...inside]
}
