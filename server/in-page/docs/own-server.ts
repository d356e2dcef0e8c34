/** The address in samples, until it is known where the server of the reader is. */
const usualAddress = 'http://127.0.0.1:8787'

/** Finds the link to the dashboard of the server. Exported pages have none, because no server serves them. */
export function findDashboard(): HTMLAnchorElement | null {
  return document.querySelector('[data-dashboard]')
}

/** Writes the address of the server that serves the page into its samples. */
export function writeOwnAddress(): void {
  const dashboard = findDashboard()
  if (!dashboard) return
  const address = new URL('..', dashboard.href).href.replace(/\/$/, '')
  for (const code of document.querySelectorAll('pre > code')) {
    const text = code.textContent ?? ''
    // A proxy asks the server at its own port, wherever readers reach it.
    const written = text.replaceAll(usualAddress, (found, at: number) =>
      text.slice(0, at).endsWith('proxy_pass ') ? found : address,
    )
    if (written !== text) code.textContent = written
  }
}
