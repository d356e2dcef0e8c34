import { placeOutline } from '../outline/build-outline.ts'
import { disableSearch } from './disable-search.ts'
import { placeKeptPanels } from './kept-panels.ts'
import { showLazyPictures } from './lazy-pictures.ts'
import { showNoscriptPictures } from './noscript-pictures.ts'
import { findPanel, togglePanel } from './panels.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { showPart } from './tab-parts.ts'
import { selectTab } from './tabs.ts'
import { createThemeSwitch, isThemeControl, isThemeList } from './theme.ts'
import { uncoverContent } from './uncover-content.ts'

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
  placeKeptPanels()
  for (const outline of settings.outlines) if (placeOutline(outline)) break
  document.addEventListener('click', event => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return
    const control = event.target.closest(controls)
    if (!control) return showPart(event.target)
    if (control.getAttribute('role') === 'tab') return selectTab(control)
    if (isThemeControl(control)) return theme.toggle()
    // If a heading is also a link, a click follows the link.
    const href = control.closest('a')?.getAttribute('href')
    if (href && !href.startsWith('#')) return
    const panel = findPanel(control)
    if (!panel) return
    event.preventDefault()
    togglePanel(control, panel)
  })
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && isThemeList(target)) theme.choose(target)
  })
  if (!settings.hasSearch) disableSearch(settings.isHosted)
}
