import { palette } from './palette.ts'

/** The style sheet of the documentation: navigation beside the text, as a menu on small screens; light or dark like the system. */
export const styleSheet = `${palette}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; color: var(--text); background: var(--ground);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  display: grid; grid-template: "header header" auto "side main" 1fr / 17rem minmax(0, 1fr); min-height: 100vh;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: 0.5rem; top: -4rem; z-index: 1; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { top: 0.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header {
  grid-area: header; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem 2rem;
  padding: 0.75rem 1.75rem; background: var(--panel); border-bottom: 1px solid var(--line);
}
.brand { font-size: 1.15rem; font-weight: 700; color: var(--text); text-decoration: none; }
.search { display: flex; gap: 0.5rem; max-width: 100%; }
.search input, .search button {
  font: inherit; font-size: 0.95rem; padding: 0.35rem 0.7rem; border-radius: 6px; border: 1px solid var(--field);
  color: var(--text); background: var(--ground);
}
.search input { width: 18rem; min-width: 0; }
.search button { cursor: pointer; }
main .search input { flex: 1 1 auto; max-width: 34rem; }
.side { grid-area: side; background: var(--panel); border-right: 1px solid var(--line); }
.side > ul { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem; }
nav { font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .group { display: block; margin: 0.75rem 0.75rem 0.15rem; color: var(--quiet); font-weight: 600; font-size: 0.82rem; }
nav a { display: block; padding: 0.15rem 0.75rem; border-radius: 6px; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--line); }
nav a[aria-current] { background: var(--accent); color: var(--ground); }
nav .sub { margin: 0.25rem 0 0.5rem 0.75rem; border-left: 1px solid var(--line); font-size: 0.88rem; }
.menu { display: none; grid-area: menu; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu summary { padding: 0.75rem 1rem; cursor: pointer; font-weight: 600; }
.menu nav { padding: 0 0.5rem 1rem; }
main { grid-area: main; padding: 2rem 3rem 4rem; max-width: 60rem; min-width: 0; overflow-wrap: break-word; }
h1 { font-size: 2rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
a { color: var(--accent); }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
code span { white-space: nowrap; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.route code { font-size: 1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); min-width: 7rem; overflow-wrap: normal; }
td code { overflow-wrap: normal; }
dt { margin-top: 1rem; }
dt code { font-weight: 600; margin-right: 0.4rem; }
dt span { color: var(--quiet); font-size: 0.875rem; margin-right: 0.4rem; }
dt .type { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
dd { margin: 0.25rem 0 0 1.25rem; }
dd p { margin: 0 0 0.4rem; }
figure { margin: 1rem 0; }
.sample { border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; }
.sample summary { padding: 0.4rem 1rem; cursor: pointer; font-size: 0.95rem; font-weight: 600; }
.sample pre { margin: 0; border: 0; border-top: 1px solid var(--line); border-radius: 0 0 8px 8px; }
figcaption { color: var(--quiet); font-size: 0.875rem; margin-bottom: 0.25rem; }
figure pre { margin: 0; }
mark { background: var(--mark); color: var(--text); border-radius: 2px; }
#search-results p { margin: 0.15rem 0 1rem; }
.sections { columns: 18rem; padding-left: 1.25rem; }
@media (max-width: 50rem) {
  body { grid-template: "header" auto "menu" auto "main" 1fr / minmax(0, 1fr); }
  header { padding: 0.75rem 1rem; }
  .search { flex: 1 1 14rem; }
  .search input { flex: 1 1 auto; width: 8rem; }
  .side { display: none; }
  .menu { display: block; }
  nav a { padding: 0.35rem 0.75rem; }
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.6rem; }
}
`
