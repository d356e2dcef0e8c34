/** Asks before a form is sent that deletes or revokes something. */
export function confirmForms(): void {
  document.addEventListener('submit', event => {
    const question = event.target instanceof HTMLFormElement ? event.target.dataset.confirm : undefined
    if (question !== undefined && !confirm(question)) event.preventDefault()
  })
}
