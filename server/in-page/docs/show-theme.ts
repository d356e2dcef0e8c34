import { readStoredTheme } from '../theme/stored-theme.ts'

/** Runs before the page is shown, so that a page in a chosen theme does not flash in that of the system. */
export default function showStoredTheme(): void {
  const theme = readStoredTheme()
  if (theme) document.documentElement.dataset.theme = theme
}
