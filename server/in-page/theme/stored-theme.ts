const storeKey = 'quire-theme'

/** Returns the theme that was chosen in this browser for the pages of this address; undefined = that of the system. */
export function readStoredTheme(): 'light' | 'dark' | undefined {
  try {
    const theme = localStorage.getItem(storeKey)
    return theme === 'light' || theme === 'dark' ? theme : undefined
  } catch {
    // The browser may refuse storage. The choice then applies to one page only.
    return undefined
  }
}

/** @param theme `light` or `dark`; anything else = that of the system */
export function storeTheme(theme: string | undefined): void {
  try {
    if (theme === 'light' || theme === 'dark') localStorage.setItem(storeKey, theme)
    else localStorage.removeItem(storeKey)
  } catch {
    // See above.
  }
}

/** Shows the page in a theme, and the button of the theme as pressed. */
export function showTheme(theme: string): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  for (const button of document.querySelectorAll<HTMLButtonElement>('.theme button'))
    button.ariaPressed = String(button.value === theme)
}
