import { placeOutline } from '../outline/build-outline.ts'
import { listTabLists, panelsNear, tabsOf } from '../panels/tab-names.ts'
import { nameOf } from './control-name.ts'
import { createStates } from './control-states.ts'
import { copyCode } from './copy-code.ts'
import { showLazyPictures } from './lazy-pictures.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { showPart, swapStates } from './tab-parts.ts'
import { createThemeSwitch, isThemeControl, isThemeList } from './theme.ts'

const controls = '[role=tab], button, [role=button], [role=switch], [aria-expanded], [aria-controls]'

/**
 * Replaces the site's scripts in a static page: shows lazy images and hidden content, opens menus and tabs, switches the
 * theme.
 */
export default function runPage(settings: RuntimeSettings): void {
  showLazyPictures()
  showNoscriptPictures()
  const theme = createThemeSwitch(settings)
  uncoverContent()
  const showState = createStates()
  placeKeptPanels()
  for (const outline of settings.outlines) if (placeOutline(outline)) break
  document.addEventListener('click', event => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return
    const control = event.target.closest(controls)
    if (control) copyCode(control)
    if (showState(event.target)) return event.preventDefault()
    if (!control) return showPart(event.target)
    if (control.getAttribute('role') === 'tab') return selectTab(control)
    if (isThemeControl(control)) return theme.toggle()
    // If a heading is also a link, a click follows the link.
    const href = control.closest('a')?.getAttribute('href')
    if (href && !href.startsWith('#')) return
    const panel = findOpenable(control)
    if (!panel) return
    event.preventDefault()
    toggleOpenable(control, panel)
  })
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && isThemeList(target)) theme.choose(target)
  })
  if (!settings.hasSearch) disableSearch(settings.isHosted)
}

/** Shows images from noscript elements, in place of the adjacent placeholder. */
function showNoscriptPictures(): void {
  const present = new Set(Array.from(document.images, addressOf))
  for (const fallback of document.querySelectorAll('body noscript')) {
    const content = new DOMParser().parseFromString(fallback.textContent ?? '', 'text/html').body
    const image = content.querySelector('img')
    // One-pixel images count visitors. Text is not shown, because it would wrongly say that scripts are disabled.
    const isPixel = image?.getAttribute('width') === '1' || image?.getAttribute('height') === '1'
    if (!image || isPixel || content.textContent?.trim() !== '') continue
    const address = addressOf(image)
    if (!image.getAttribute('src') || present.has(address)) continue
    findPlaceholder(fallback)?.remove()
    present.add(address)
    image.removeAttribute('loading')
    fallback.before(...Array.from(content.children))
  }
}

function findPlaceholder({ previousElementSibling, nextElementSibling }: Element): Element | null | undefined {
  return [previousElementSibling, nextElementSibling].find(
    element => element instanceof HTMLImageElement && (!element.getAttribute('src') || /^data:/.test(element.src)),
  )
}

function addressOf(image: Element): string {
  return URL.parse(image.getAttribute('src') ?? '', document.baseURI)?.href ?? ''
}

/** Shows content that a site hides by a class, an attribute or a style until its script runs. */
function uncoverContent(): void {
  const named = findContents('main, [role=main], article, h1')
  const contents = named.length > 0 ? named : findContents('p')
  if (contents.some(isVisible)) return
  const [content] = contents.sort((a, b) => (b.textContent ?? '').length - (a.textContent ?? '').length)
  const boxes: HTMLElement[] = []
  for (let box = content ?? null; box; box = box.parentElement) boxes.unshift(box)
  for (const box of boxes) uncover(box)
}

function findContents(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter(
    it => !it.closest('dialog, [role=dialog], [role=search], nav, [aria-hidden=true]') && it.textContent?.trim() !== '',
  )
}

function isVisible(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

function uncover(box: HTMLElement): void {
  const style = getComputedStyle(box)
  const isCovered = () => style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0'
  if (!isCovered()) return
  // Removing the class or attribute that hides the box keeps the site's own layout.
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

/** Inserts the panels that the site's scripts would build when a reader selects their tabs. They stay hidden until then. */
function placeKeptPanels(): void {
  const templates = document.querySelectorAll<HTMLTemplateElement>('template[data-quire-panel]')
  if (templates.length === 0) return
  const lists = listTabLists()
  const kept = new Map<Element, Map<number, HTMLElement>>()
  for (const template of templates) {
    const list = lists.get(template.dataset.quirePanel ?? '')
    const panel = template.content.firstElementChild?.cloneNode(true)
    if (!list || !(panel instanceof HTMLElement)) continue
    const panels = kept.get(list) ?? new Map<number, HTMLElement>()
    kept.set(list, panels)
    panels.set(Number(template.dataset.quireTab), panel)
  }
  for (const [list, panels] of kept) placePanels(list, panels)
}

/** Inserts the panels of one list in the order of its tabs. */
function placePanels(list: Element, kept: ReadonlyMap<number, HTMLElement>): void {
  const tabs = tabsOf(list)
  const selected = tabs.findIndex(tab => tab.getAttribute('aria-selected') === 'true')
  const shown = namedPanel(tabs[selected]) ?? panelsNear(list).find(panel => panel.checkVisibility())
  if (!shown) return
  let last: Element = shown
  for (const [at, tab] of tabs.entries()) {
    const panel = kept.get(at)
    if (at === selected) last = shown
    if (!panel) continue
    panel.hidden = true
    panel.id = tab.getAttribute('aria-controls') ?? panel.id
    const empty = namedPanel(tab)
    if (empty) empty.replaceWith(panel)
    else if (at < selected) shown.before(panel)
    else last.after(panel)
    if (at > selected) last = panel
  }
}

function namedPanel(tab: Element | undefined): Element | null {
  return document.getElementById(tab?.getAttribute('aria-controls') ?? '')
}

/** Selects a tab of a tab list and shows only its panel. */
function selectTab(tab: Element): void {
  const list = tab.closest('[role=tablist]')
  if (!list) return
  const tabs = Array.from(list.querySelectorAll('[role=tab]'))
  let box = list.parentElement
  while (box && !box.querySelector('[role=tabpanel]')) box = box.parentElement
  const panels = Array.from(box?.querySelectorAll<HTMLElement>('[role=tabpanel]') ?? [])
  const panelOf = (other: Element, index: number) =>
    document.getElementById(other.getAttribute('aria-controls') ?? '') ?? panels[index]
  const panel = panelOf(tab, tabs.indexOf(tab))
  if (!panel) return
  const active = tabs.findIndex(other => other.getAttribute('aria-selected') === 'true')
  const shown = tabs[active]
  if (shown) swapStates(panelOf(shown, active), panel)
  swapStates(shown, tab)
  for (const [index, other] of tabs.entries()) {
    other.setAttribute('aria-selected', String(other === tab))
    const own = panelOf(other, index)
    if (own) own.hidden = own !== panel
  }
}

const openableLists = 'ul, ol, menu, [role=group], [role=menu], [class*=items], [class*=menu]'

/** Finds the element that a control opens: by id, otherwise the list next to the control or next to one of its ancestors. */
function findOpenable(control: Element): HTMLElement | null {
  const id = control.getAttribute('aria-controls')
  const named = id ? document.getElementById(id) : null
  if (named) return named
  for (let box: Element | null = control, depth = 0; box && depth < 3; box = box.parentElement, depth += 1) {
    for (let next = box.nextElementSibling; next; next = next.nextElementSibling)
      if (next.matches(openableLists) && !next.contains(control)) return next as HTMLElement
    if (box.matches('li, section, nav')) break
  }
  return null
}

/** Opens or closes a panel. */
function toggleOpenable(control: Element, panel: HTMLElement): void {
  const open = !hasBox(panel)
  if (control.hasAttribute('aria-expanded')) control.setAttribute('aria-expanded', String(open))
  // Style sheets hide panels by a class on the item or the list, such as menu__list-item--collapsed.
  for (const element of [control, panel, control.closest('li, section'), panel.parentElement]) {
    for (const name of element ? Array.from(element.classList) : [])
      if (/collapsed$/.test(name) && open) element?.classList.remove(name)
  }
  panel.hidden = !open
  panel.style.display = open ? '' : 'none'
  if (!open) return
  if (!hasBox(panel)) panel.style.display = 'block'
  if (!hasBox(panel))
    Object.assign(panel.style, { height: 'auto', maxHeight: 'none', visibility: 'visible', opacity: '1' })
}

function hasBox(panel: HTMLElement): boolean {
  return panel.getClientRects().length > 0 && panel.offsetHeight > 0
}

const searchFields =
  'input[type=search], [role=search] input, [role=search] button, input[class*=search i], input[placeholder*=search i]'

/**
 * Disables the search of a site whose scripts do not run here, and explains where the search works.
 *
 * @param isHosted whether the search works at any path of a host, and not only at the root.
 */
function disableSearch(isHosted: boolean): void {
  const reason = isHosted
    ? 'Search works only when a web server serves these pages.'
    : 'Search works only when these pages are served from the root of a host.'
  const disable = (control: HTMLInputElement | HTMLButtonElement) => {
    control.disabled = true
    control.title = reason
  }
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(searchFields)) disable(field)
  for (const button of document.querySelectorAll('button')) if (/\bsearch/i.test(nameOf(button))) disable(button)
}
