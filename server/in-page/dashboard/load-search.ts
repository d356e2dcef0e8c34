/**
 * Loads the search when it is asked for, with its button or with Ctrl or Cmd K: most visits do without its 17 KB. The script then opens
 * its dialog and takes over both.
 */
export function loadSearchWhenAsked(): void {
  const button = document.querySelector<HTMLElement>('[data-search]')
  const address = button?.dataset.search
  if (!button || !address) return
  const load = () => {
    button.removeEventListener('click', load)
    removeEventListener('keydown', onKey)
    const script = document.createElement('script')
    script.src = address
    script.dataset.open = ''
    document.head.append(script)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.shiftKey || event.repeat) return
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
    event.preventDefault()
    load()
  }
  button.hidden = false
  button.addEventListener('click', load)
  addEventListener('keydown', onKey)
}
