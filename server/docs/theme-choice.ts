import { icon } from './icons.ts'

/** The themes of the pages to choose from, in the documentation and the dashboard. */
export const themeNames = { system: 'Like the system', light: 'Light', dark: 'Dark' } as const

export type Theme = keyof typeof themeNames

/** The styles of the buttons that choose the theme. */
export const themeStyle = `
.theme fieldset { display: flex; margin: 0; padding: 2px; border: 1px solid var(--line); border-radius: var(--corner); background: var(--ground); }
.theme button { display: flex; padding: 0.4rem; border: 0; border-radius: var(--corner-small); background: none; color: var(--quiet); font-size: 1rem; cursor: pointer; }
.theme button:hover { color: var(--text); }
.theme button[aria-pressed="true"] { background: var(--accent-tint); color: var(--accent); }
.theme button::before { content: ""; flex: none; width: 1em; height: 1em; background: currentColor; mask: var(--icon) center / contain no-repeat; }
.theme [value="system"] { --icon: ${icon('screen')}; }
.theme [value="light"] { --icon: ${icon('sun')}; }
.theme [value="dark"] { --icon: ${icon('moon')}; }
@media (forced-colors: active) { .theme button::before { background: CanvasText; } }
`

/** Renders the buttons that choose the theme of the documentation. They need a script, which shows them, see choose-theme.ts. */
export function themeChoice(): string {
  const buttons = Object.entries(themeNames).map(
    ([name, label]) =>
      `<button type="button" value="${name}" aria-pressed="${name === 'system'}" title="${label}"><span class="unseen">${label}</span></button>`,
  )
  return `<div class="theme" hidden><fieldset><legend class="unseen">Theme</legend>${buttons.join('')}</fieldset></div>`
}
