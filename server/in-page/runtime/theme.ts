import { nameOf } from './control-name.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

const themeName = /theme|dark|light mode|appearance|colou?r.?(mode|scheme)/i
const storeKey = 'quire-theme'

/** Decides whether a click on this control switches between the light and the dark theme. */
export function isThemeControl(control: Element): boolean {
  return !control.hasAttribute('aria-controls') && themeName.test(nameOf(control))
}

/** Decides whether a list offers a dark and a light theme. Its other options stand for the system theme. */
export function isThemeList(list: HTMLSelectElement): boolean {
  const themes = Array.from(list.options, themeOf)
  return themes.includes('dark') && themes.includes('light')
}

function themeOf({ value, text }: HTMLOptionElement): string | undefined {
  return /^(?:dark|light)$/i.exec(value)?.[0].toLowerCase() ?? /^(?:dark|light)$/i.exec(text.trim())?.[0].toLowerCase()
}

interface ThemeSwitch {
  toggle(): void
  /** Shows the theme that the visitor chose in a list. */
  choose(list: HTMLSelectElement): void
}

/** Shows the theme that the visitor chose earlier, otherwise the system theme. */
export function createThemeSwitch(settings: RuntimeSettings): ThemeSwitch {
  const systemTheme = matchMedia('(prefers-color-scheme: dark)')
  const choice = readChoice()
  let isDark = choice ?? systemTheme.matches
  showTheme(settings, isDark)
  if (hasThemes(settings)) enableThemeButtons()
  if (choice !== null) selectTheme(choice ? 'dark' : 'light')
  return {
    toggle() {
      isDark = !isDark
      showTheme(settings, isDark)
      storeChoice(isDark)
    },
    choose(list) {
      const option = list.selectedOptions[0]
      const theme = option && themeOf(option)
      isDark = theme === undefined ? systemTheme.matches : theme === 'dark'
      showTheme(settings, isDark)
      storeChoice(theme === undefined ? null : isDark)
    },
  }
}

/** Selects the theme in each list of themes. */
function selectTheme(theme: string): void {
  for (const list of document.querySelectorAll('select'))
    if (isThemeList(list)) list.selectedIndex = Array.from(list.options, themeOf).indexOf(theme)
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

/** @param isDark null = the visitor chose the system theme. */
function storeChoice(isDark: boolean | null): void {
  try {
    if (isDark === null) localStorage.removeItem(storeKey)
    else localStorage.setItem(storeKey, isDark ? 'dark' : 'light')
  } catch {
    // The browser may refuse storage, see above.
  }
}
