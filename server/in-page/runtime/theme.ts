import { nameOf } from './control-name.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

const themeName = /theme|dark|light mode|appearance|colou?r.?(mode|scheme)/i
const storeKey = 'quire-theme'

/** Decides whether a click on this control switches between the light and the dark theme. */
export function isThemeControl(control: Element): boolean {
  return !control.hasAttribute('aria-controls') && themeName.test(nameOf(control))
}

/** Shows the theme that the visitor chose earlier, otherwise the system theme. */
export function createThemeSwitch(settings: RuntimeSettings): { toggle(): void } {
  let isDark = readChoice() ?? matchMedia('(prefers-color-scheme: dark)').matches
  showTheme(settings, isDark)
  if (hasThemes(settings)) enableThemeButtons()
  return {
    toggle() {
      isDark = !isDark
      showTheme(settings, isDark)
      storeChoice(isDark)
    },
  }
}

function hasThemes({ hasDarkClass, themeAttributes }: RuntimeSettings): boolean {
  return hasDarkClass || themeAttributes.length > 0
}

function showTheme(settings: RuntimeSettings, isDark: boolean): void {
  const root = document.documentElement
  for (const name of settings.themeAttributes) root.setAttribute(name, isDark ? 'dark' : 'light')
  if (settings.hasDarkClass) root.classList.toggle('dark', isDark)
  if (hasThemes(settings)) root.style.colorScheme = isDark ? 'dark' : 'light'
}

/** Enables the theme buttons, because many sites disable the buttons until their script runs. */
function enableThemeButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[disabled]'))
    if (themeName.test(nameOf(button))) button.disabled = false
}

function readChoice(): boolean | null {
  try {
    const chosen = localStorage.getItem(storeKey)
    return chosen ? chosen === 'dark' : null
  } catch {
    // The browser may refuse storage. The choice then applies to one page only.
    return null
  }
}

function storeChoice(isDark: boolean): void {
  try {
    localStorage.setItem(storeKey, isDark ? 'dark' : 'light')
  } catch {
    // The browser may refuse storage, see above.
  }
}
