/** Takes what was done out of the address, so that a reload and a shared link do not say it again. */
export function forgetNotice(): void {
  const url = new URL(location.href)
  if (!url.searchParams.has('done')) return
  url.searchParams.delete('done')
  history.replaceState(history.state, '', url)
}
