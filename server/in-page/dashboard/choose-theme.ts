/** Told to the document when another theme was chosen. */
export const themeEvent = 'quire-theme'

/** Changes the theme of the page at once, without loading it again, so that nothing that was typed or shown only once is lost. */
export function chooseThemes(): void {
  document.addEventListener('submit', event => {
    const { target: form, submitter: button } = event
    if (!(form instanceof HTMLFormElement && button instanceof HTMLButtonElement && form.matches('.theme'))) return
    event.preventDefault()
    const { dataset } = document.documentElement
    if (button.value === 'system') delete dataset.theme
    else dataset.theme = button.value
    for (const each of form.querySelectorAll('button')) each.ariaPressed = String(each === button)
    document.dispatchEvent(new Event(themeEvent))
    void fetch(form.action, { method: 'POST', body: new URLSearchParams({ theme: button.value }), redirect: 'manual' })
  })
}
