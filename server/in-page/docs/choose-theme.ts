import { readStoredTheme, showTheme, storeTheme } from '../theme/stored-theme.ts'
import { findDashboard } from './own-server.ts'

/** Shows the buttons that choose the theme, which this browser keeps. The dashboard of the server gets the same theme. */
export function enableThemes(): void {
  showTheme(readStoredTheme() ?? 'system')
  for (const choice of document.querySelectorAll<HTMLElement>('.theme')) {
    choice.hidden = false
    choice.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (!button) return
      showTheme(button.value)
      storeTheme(button.value)
      const dashboard = findDashboard()
      if (dashboard) void tellDashboard(dashboard.href, button.value)
    })
  }
}

async function tellDashboard(dashboard: string, theme: string): Promise<void> {
  const body = new URLSearchParams({ theme })
  await fetch(new URL('theme', dashboard), { method: 'POST', body, redirect: 'manual' }).catch(() => undefined)
}
