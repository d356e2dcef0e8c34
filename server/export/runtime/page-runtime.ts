import { showLazyPictures } from './lazy-pictures.ts'

// Runs inside pages of a bundle, sent there as text: each function stands for itself, with nothing from outside.

/** What the run-time has to know of a site's style sheets, which a page on file:// may not read. */
export interface RuntimeSettings {
  /** Attributes of the html element that say `light` or `dark`. */
  themeAttributes: string[]
  /** Whether a class `dark` on the html element does. */
  hasDarkClass: boolean
  /** Whether the bundle has a search of its own, which the fields of the page then open. */
  hasSearch: boolean
  /** Whether the site's own search works anywhere on a host, as opposed to its root only. */
  isHosted: boolean
}

/** The file that guarded and frozen pages load. */
export function runtimeFile(settings: RuntimeSettings): string {
  return `(${showLazyPictures})()\n;(${runPage})(${JSON.stringify(settings)})\n`
}

/** Finds in the text of style sheets how a site tells its two colour themes apart. */
export function findThemes(sheets: Iterable<string>): Omit<RuntimeSettings, 'hasSearch' | 'isHosted'> {
  const attributes = new Set<string>()
  let hasDarkClass = false
  for (const css of sheets) {
    for (const [, name = ''] of css.matchAll(
      /\[(data-[a-z-]*(?:theme|mode|scheme)[a-z-]*)\s*=\s*["']?(?:dark|light)["']?\s*\]/g,
    ))
      attributes.add(name)
    hasDarkClass ||= /(?:^|[\s,{}(]|html|:root)\.dark(?=[\s,{:.)[])/m.test(css)
  }
  return { themeAttributes: [...attributes].sort(), hasDarkClass }
}

/** Shows and opens what a site's own scripts would: what it covers, collapsed menus, tabs, the dark theme. Turns its search off. */
function runPage(settings: RuntimeSettings): void {
  const root = document.documentElement
  const themeName = /theme|dark|light mode|appearance|colou?r.?(mode|scheme)/i
  const nameOf = (element: Element) =>
    ['aria-label', 'title', 'class', 'id'].map(name => element.getAttribute(name) ?? '').join(' ')

  function setTheme(isDark: boolean) {
    for (const name of settings.themeAttributes) root.setAttribute(name, isDark ? 'dark' : 'light')
    if (settings.hasDarkClass) root.classList.toggle('dark', isDark)
    if (settings.hasDarkClass || settings.themeAttributes.length > 0) root.style.colorScheme = isDark ? 'dark' : 'light'
  }
  const storeKey = 'quire-theme'
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem(storeKey)
  } catch {
    // Storage may be refused; the choice then holds for one page.
  }
  let isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  setTheme(isDark)

  // Many wait for their script before they can be pressed.
  if (settings.hasDarkClass || settings.themeAttributes.length > 0)
    for (const button of document.querySelectorAll<HTMLButtonElement>('button[disabled]'))
      if (themeName.test(nameOf(button))) button.disabled = false

  /** A site that builds itself up out of sight takes the cover off by a script: a class, an attribute, a style on any box. */
  function uncover() {
    const isSeen = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    const find = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter(
        it =>
          !it.closest('dialog, [role=dialog], [role=search], nav, [aria-hidden=true]') && it.textContent?.trim() !== '',
      )
    const named = find('main, [role=main], article, h1')
    const contents = named.length > 0 ? named : find('p')
    if (contents.some(isSeen)) return
    const [content] = contents.sort((a, b) => (b.textContent ?? '').length - (a.textContent ?? '').length)
    const boxes: HTMLElement[] = []
    for (let box = content ?? null; box; box = box.parentElement) boxes.unshift(box)
    for (const box of boxes) {
      const style = getComputedStyle(box)
      const isCovered = () => style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0'
      if (!isCovered()) continue
      // Without the class or attribute that covers it, a box is laid out as the site means it.
      for (const name of [...box.classList]) {
        box.classList.remove(name)
        if (!isCovered()) break
        box.classList.add(name)
      }
      for (const { name, value } of isCovered() ? [...box.attributes] : []) {
        if (name === 'class' || name === 'id') continue
        box.removeAttribute(name)
        if (!isCovered()) break
        box.setAttribute(name, value)
      }
      if (style.display === 'none') box.style.setProperty('display', 'block', 'important')
      if (style.visibility === 'hidden') box.style.setProperty('visibility', 'visible', 'important')
      if (style.opacity === '0') box.style.setProperty('opacity', '1', 'important')
    }
  }
  uncover()

  function isShown(panel: Element) {
    return panel.getClientRects().length > 0 && (panel as HTMLElement).offsetHeight > 0
  }

  /** What a control opens: by its id, else the list beside it or beside the box that it stands in. */
  function findPanel(control: Element): HTMLElement | null {
    const id = control.getAttribute('aria-controls')
    const named = id ? document.getElementById(id) : null
    if (named) return named
    const lists = 'ul, ol, menu, [role=group], [role=menu], [class*=items], [class*=menu]'
    for (let box: Element | null = control, depth = 0; box && depth < 3; box = box.parentElement, depth += 1) {
      for (let next = box.nextElementSibling; next; next = next.nextElementSibling)
        if (next.matches(lists) && !next.contains(control)) return next as HTMLElement
      if (box.matches('li, section, nav')) break
    }
    return null
  }

  function toggle(control: Element, panel: HTMLElement) {
    const open = !isShown(panel)
    if (control.hasAttribute('aria-expanded')) control.setAttribute('aria-expanded', String(open))
    // Style sheets hide by a class on the item or the list, such as menu__list-item--collapsed.
    for (const element of [control, panel, control.closest('li, section'), panel.parentElement]) {
      for (const name of element ? Array.from(element.classList) : [])
        if (/collapsed$/.test(name) && open) element?.classList.remove(name)
    }
    panel.hidden = !open
    panel.style.display = open ? '' : 'none'
    if (!open) return
    if (!isShown(panel)) panel.style.display = 'block'
    if (!isShown(panel))
      Object.assign(panel.style, { height: 'auto', maxHeight: 'none', visibility: 'visible', opacity: '1' })
  }

  function selectTab(tab: Element) {
    const list = tab.closest('[role=tablist]')
    if (!list) return
    const tabs = Array.from(list.querySelectorAll('[role=tab]'))
    let box = list.parentElement
    while (box && !box.querySelector('[role=tabpanel]')) box = box.parentElement
    const panels = Array.from(box?.querySelectorAll<HTMLElement>('[role=tabpanel]') ?? [])
    const at = tabs.indexOf(tab)
    const byId = document.getElementById(tab.getAttribute('aria-controls') ?? '')
    const panel = byId ?? panels[at]
    if (!panel) return
    const active = tabs.find(other => other.getAttribute('aria-selected') === 'true')
    if (active && active !== tab) {
      const name = Array.from(active.classList).find(each => /active|selected/.test(each))
      if (name) {
        active.classList.remove(name)
        tab.classList.add(name)
      }
    }
    for (const [index, other] of tabs.entries()) {
      other.setAttribute('aria-selected', String(other === tab))
      const own = document.getElementById(other.getAttribute('aria-controls') ?? '') ?? panels[index]
      if (own) own.hidden = own !== panel
    }
  }

  document.addEventListener('click', event => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return
    const control = event.target.closest(
      '[role=tab], button, [role=button], [role=switch], [aria-expanded], [aria-controls]',
    )
    if (!control) return
    if (control.getAttribute('role') === 'tab') return selectTab(control)
    if (!control.hasAttribute('aria-controls') && themeName.test(nameOf(control))) {
      isDark = !isDark
      setTheme(isDark)
      try {
        localStorage.setItem(storeKey, isDark ? 'dark' : 'light')
      } catch {
        // As above.
      }
      return
    }
    // A heading that is a link, too, leads on.
    const href = control.closest('a')?.getAttribute('href')
    if (href && !href.startsWith('#')) return
    const panel = findPanel(control)
    if (!panel) return
    event.preventDefault()
    toggle(control, panel)
  })

  if (settings.hasSearch) return
  const where = settings.isHosted ? 'a web server, not opened as files' : 'the root of a host'
  const why = `Search works where these pages are served from ${where}.`
  const fields =
    'input[type=search], [role=search] input, [role=search] button, input[class*=search i], input[placeholder*=search i]'
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(fields)) {
    field.disabled = true
    field.title = why
  }
  for (const button of document.querySelectorAll('button')) {
    if (!/\bsearch/i.test(nameOf(button))) continue
    button.disabled = true
    button.title = why
  }
}
