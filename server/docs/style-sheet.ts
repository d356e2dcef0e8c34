/** The style of the documentation: one column of text beside a list of pages, light or dark as the reader's system is. */
export const styleSheet = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #e6e8ea);
  --quiet: light-dark(#5b636b, #9aa3ab);
  --ground: light-dark(#ffffff, #14171a);
  --panel: light-dark(#f4f6f8, #1c2125);
  --line: light-dark(#dde2e7, #2c333a);
  --accent: light-dark(#0b5cad, #7ab8ff);
}
* { box-sizing: border-box; }
body {
  margin: 0; color: var(--text); background: var(--ground);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); min-height: 100vh;
}
nav { background: var(--panel); border-right: 1px solid var(--line); padding: 2rem 1rem; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; position: sticky; top: 2rem; }
nav a { display: block; padding: 0.3rem 0.75rem; border-radius: 6px; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--line); }
nav a[aria-current] { background: var(--accent); color: var(--ground); }
main { padding: 2rem 3rem 4rem; max-width: 60rem; }
h1 { font-size: 2rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
a { color: var(--accent); }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; }
.route code { font-size: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); }
td p { margin: 0 0 0.4rem; }
td code { white-space: normal; }
figure { margin: 1rem 0; }
figcaption { color: var(--quiet); font-size: 0.875rem; margin-bottom: 0.25rem; }
figure pre { margin: 0; }
@media (max-width: 50rem) {
  body { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  nav { border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  nav ul { position: static; display: flex; flex-wrap: wrap; }
  main { padding: 1.5rem 1rem 3rem; }
}
`
