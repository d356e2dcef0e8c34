/**
 * The design tokens of the documentation and the dashboard: colours, type scale, spacing and corners. The theme is that of the system,
 * unless `data-theme` of the root element is `light` or `dark`.
 *
 * Text on `--ground` or `--panel`, and each state on its tint, has a contrast of at least 4.5 in both themes (WCAG 1.4.3).
 */
export const palette = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #e6e8ea);
  --quiet: light-dark(#555d65, #a3abb3);
  --ground: light-dark(#ffffff, #14171a);
  --panel: light-dark(#f4f6f8, #1c2125);
  --line: light-dark(#dde2e7, #2c333a);
  --field: light-dark(#79828b, #79828b);
  --accent: light-dark(#0b5cad, #7ab8ff);
  --accent-tint: light-dark(#e7f0fa, #1b2a3a);
  --mark: light-dark(#ffe38a, #5a4a00);
  --good: light-dark(#0b6b3a, #6fd49c);
  --bad: light-dark(#b3261e, #ff9a90);
  --warn: light-dark(#8a5a00, #ffb84d);
  --busy: light-dark(#6a3fb0, #c3a6ff);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --size-tiny: 0.8125rem;
  --size-small: 0.875rem;
  --size-text: 1rem;
  --size-h3: 1.0625rem;
  --size-h2: 1.25rem;
  --size-h1: 1.75rem;
  --space-1: 0.25rem;
  --space-2: 0.5rem;
  --space-3: 0.75rem;
  --space-4: 1rem;
  --space-6: 1.5rem;
  --space-8: 2rem;
  --corner: 8px;
  --corner-small: 6px;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }`

/** The folded sheets of a quire. */
const sheets =
  '<rect width="24" height="24" rx="6" fill="#0b5cad"/><path d="M12 8.5C10 7 7.7 6.3 5 6.3v9.4c2.7 0 5 .7 7 2.2 2-1.5 4.3-2.2 7-2.2V6.3c-2.7 0-5 .7-7 2.2zm0 0v9" fill="none" stroke="#fff" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round"/>'

/** The logo, as SVG to put into a page or to serve as a file. A page writes the name of Quire beside it. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${sheets}</svg>`

/** The logo as an address that needs no request. */
export const favicon = `data:image/svg+xml,${encodeURIComponent(logo)}`
