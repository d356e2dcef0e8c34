/** Shows the field that filters the list of operations: items stay that contain every word. */
export function enableFilter(): void {
  const field = document.querySelector<HTMLInputElement>('[data-filter]')
  const status = document.querySelector('[data-filtered]')
  const items = [...document.querySelectorAll<HTMLElement>('.operations li')]
  if (!field?.parentElement || !status) return
  field.parentElement.hidden = false
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const item of items) {
      const text = (item.textContent ?? '').toLowerCase()
      item.hidden = !words.every(word => text.includes(word))
    }
    const shown = items.filter(({ hidden }) => !hidden).length
    const count = shown === 1 ? '1 operation' : `${shown} operations`
    status.textContent = words.length === 0 ? '' : count
  })
}
