import { showTheme, storeTheme } from '../theme/stored-theme.ts'

/** Told to the document when another theme was chosen. */
export const themeEvent = 'quire-theme'

/** Changes the theme of the page at once, without loading it again, so that nothing that was typed or shown only once is lost. */
export function chooseThemes(): void {
  // The server writes these pages in the theme. The documentation finds it in the browser.
  storeTheme(document.documentElement.dataset.theme)
  document.addEventListener('submit', event => {
    const { target: form, submitter: button } = event
    if (!(form instanceof HTMLFormElement && button instanceof HTMLButtonElement && form.matches('.theme'))) return
    event.preventDefault()
    showTheme(button.value)
    storeTheme(button.value)
    document.dispatchEvent(new Event(themeEvent))
    void fetch(form.action, { method: 'POST', body: new URLSearchParams({ theme: button.value }), redirect: 'manual' })
  })
}
