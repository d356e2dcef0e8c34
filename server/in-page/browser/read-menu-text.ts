import { withOpenDetails } from './open-details.ts'

/** Returns the rendered text of the page's menus and bars: elements with such a name and without page content. */
export default function readMenuText(): string {
  const named = ['nav', 'menu', 'sidebar', 'toolbar', 'breadcrumb'].flatMap(name => [
    `[id*="${name}" i]`,
    `[class*="${name}" i]`,
  ])
  const menus = `nav, header, footer, aside, [role=navigation], [role=menubar], [role=tree], ${named.join(', ')}`
  const found = new Set<Element>()
  for (const element of document.body?.querySelectorAll(menus) ?? []) {
    const content = element.closest('main, article, [role=main]') ?? element.querySelector('main, article, h1, p')
    // Collects only the outermost menus, in document order.
    let isInside = false
    for (let above = element.parentElement; above && !isInside; above = above.parentElement) isInside = found.has(above)
    if (!content && !isInside) found.add(element)
  }
  return withOpenDetails([document], () =>
    Array.from(found, element => (element.checkVisibility() ? ((element as HTMLElement).innerText ?? '') : '')).join(
      '\n',
    ),
  )
}
