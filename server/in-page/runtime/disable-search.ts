import { nameOf } from './control-name.ts'

const fields =
  'input[type=search], [role=search] input, [role=search] button, input[class*=search i], input[placeholder*=search i]'

/**
 * Disables the search of a site whose scripts do not run here, and explains where the search works.
 *
 * @param isHosted whether the search works at any path of a host, and not only at the root.
 */
export function disableSearch(isHosted: boolean): void {
  const reason = isHosted
    ? 'Search works only when a web server serves these pages.'
    : 'Search works only when these pages are served from the root of a host.'
  const disable = (control: HTMLInputElement | HTMLButtonElement) => {
    control.disabled = true
    control.title = reason
  }
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(fields)) disable(field)
  for (const button of document.querySelectorAll('button')) if (/\bsearch/i.test(nameOf(button))) disable(button)
}
