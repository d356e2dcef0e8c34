const name =
  /(?<!re)search|suche|recherche|buscar|b\u00fasqueda|pesquisa|ricerca|zoek|s\u00f6k|s\u00f8g|szukaj|hledat|\u043f\u043e\u0438\u0441\u043a|\u043f\u043e\u0448\u0443\u043a|\u68c0\u7d22|\u691c\u7d22|\u641c\u7d22|\u641c\u5c0b|\uac80\uc0c9|\u0628\u062d\u062b|\u05d7\u05d9\u05e4\u05d5\u05e9/i
const controls = 'input, button, [role=button], [role=searchbox], a:not([href]), a[href="#"]'

/** Forms that the export disabled. */
export const disabledForm = 'form[data-quire-dead], form[data-quire-missing], form[data-quire-removed]'

/** Decides whether a control is a search field or search button of the page. */
export function isEntrance(control: Element): boolean {
  if (control instanceof HTMLInputElement) {
    if (control.type === 'search') return true
    if (!/^(text|submit|button|image)$/.test(control.type)) return false
  }
  return control.getAttribute('role') === 'searchbox' || isNamed(control) || control.closest('[role=search]') !== null
}

function isNamed(element: Element): boolean {
  const attributes = ['aria-label', 'title', 'class', 'id', 'name', 'placeholder']
  return attributes.some(each => name.test(element.getAttribute(each) ?? ''))
}

export function listEntrances(): Element[] {
  return Array.from(document.querySelectorAll(controls)).filter(isEntrance)
}

/** Finds the search field or button that contains an element. */
export function closestEntrance(element: Element): Element | null {
  const control = element.closest(controls)
  return control && isEntrance(control) ? control : null
}

/** Returns the text in a search field, or an empty text for other controls. */
export function readField(control: Element): string {
  return control instanceof HTMLInputElement && /^(text|search)$/.test(control.type) ? control.value : ''
}
