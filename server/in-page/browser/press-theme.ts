import readColours from './read-colours.ts'

const controls = 'button, [role=button], [role=switch], [role=checkbox], input[type=checkbox], select'
const themeName = /theme|\bdark|\blight\b|appearance|colou?r-?\s?(mode|scheme)/i

/**
 * Presses the theme button of the page.
 *
 * @param times how often it was pressed before: a button with three states may need two clicks.
 * @return the colours before; null if the page shows no such button.
 */
export default function pressTheme(times: number): string | null {
  const found = Array.from(document.querySelectorAll<HTMLElement>(controls)).find(isThemeControl)
  if (!found) return null
  const before = readColours()
  if (found instanceof HTMLSelectElement) choose(found, times)
  else found.click()
  return before
}

function isThemeControl(control: HTMLElement): boolean {
  if (!control.checkVisibility()) return false
  const named = ['aria-label', 'title', 'class', 'id', 'name'].map(name => control.getAttribute(name) ?? '').join(' ')
  // The label of a switch may name it.
  const text = (control.closest('label') ?? control).textContent?.trim() ?? ''
  const isTheme = themeName.test(named) || (text.length < 30 && themeName.test(text))
  // A button that opens a list of themes changes nothing by itself.
  return isTheme && !control.hasAttribute('aria-haspopup') && !control.hasAttribute('aria-controls')
}

/** Chooses the dark theme of a list; for a second press, the next one. */
function choose(list: HTMLSelectElement, times: number): void {
  const dark = Array.from(list.options).findIndex(option => /dark|night/i.test(option.value + option.text))
  list.selectedIndex = times === 0 && dark >= 0 ? dark : (list.selectedIndex + 1) % list.options.length
  for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, { bubbles: true }))
}
