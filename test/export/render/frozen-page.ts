/** Reads the shown text of a page and of its shadow trees. Runs inside a page, so it must be self-contained. */
export function readTrees(): string {
  const read = (root: Document | ShadowRoot): string => {
    const inside = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? [read(shadowRoot)] : []))
    const own = root instanceof Document ? [root.body] : [...root.children]
    const shown = own.filter(each => each instanceof HTMLElement && each.tagName !== 'STYLE') as HTMLElement[]
    return [...shown.map(each => each.innerText), ...inside].join('\n')
  }
  return read(document)
}

/** Clicks everything that looks like a button, also in shadow trees. Returns the number of clicks. Runs inside a page. */
export function clickEverything(): number {
  const buttons =
    'button, [role="button"], [role="tab"], summary, label, [onclick], [tabindex], input[type="submit"], input[type="button"]'
  const list = (root: Document | ShadowRoot): Element[] => [
    ...root.querySelectorAll(buttons),
    ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? list(shadowRoot) : [])),
  ]
  const found = list(document).filter(each => !each.closest('a[href]'))
  for (const button of found) (button as HTMLElement).click()
  for (const form of document.querySelectorAll('form')) form.requestSubmit()
  return found.length
}
