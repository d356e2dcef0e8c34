import { palette } from './palette.ts'
import { themeStyle } from './theme-choice.ts'

/** The style sheet of the documentation: navigation beside the text, as a menu on small screens; in the chosen theme or that of the system. */
export const styleSheet = `${palette}
:root {
  --get: var(--accent);
  --post: var(--good);
  --put: var(--warn);
  --delete: var(--bad);
}
[hidden] { display: none !important; }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; color: var(--text); background: var(--ground);
  font: 16px/1.6 var(--sans);
  display: grid; grid-template: "header header" auto "side main" 1fr / 17rem minmax(0, 1fr); min-height: 100vh;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: 0.5rem; top: -4rem; z-index: 1; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { top: 0.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header {
  grid-area: header; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem;
  padding: 0.75rem 1.75rem; background: var(--panel); border-bottom: 1px solid var(--line);
}
.brand { font-size: 1.15rem; font-weight: 700; color: var(--text); text-decoration: none; }
.ways { display: flex; gap: 1.25rem; margin-right: auto; font-size: 0.95rem; }
.ways a { color: var(--text); text-decoration: none; }
.ways a:hover { text-decoration: underline; }
.search { display: flex; gap: 0.5rem; max-width: 100%; }
.open-search {
  display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-width: 15rem; padding: 0.35rem 0.5rem 0.35rem 0.75rem;
  font: inherit; font-size: 0.95rem; color: var(--quiet); background: var(--ground); border: 1px solid var(--field); border-radius: var(--corner-small); cursor: pointer;
}
.open-search:hover { color: var(--text); border-color: var(--accent); }
kbd { font: inherit; font-size: 0.8rem; padding: 0 0.35rem; border: 1px solid var(--line); border-radius: 4px; background: var(--panel); }
.search input, .search button {
  font: inherit; font-size: 0.95rem; padding: 0.35rem 0.7rem; border-radius: var(--corner-small); border: 1px solid var(--field);
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
nav a { display: block; padding: 0.15rem 0.75rem; border-radius: var(--corner-small); color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--line); }
nav a[aria-current] { background: var(--accent); color: var(--ground); }
nav .sub { margin: 0.25rem 0 0.5rem 0.75rem; border-left: 1px solid var(--line); font-size: 0.88rem; }
.menu { display: none; grid-area: menu; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu summary { padding: 0.75rem 1rem; cursor: pointer; font-weight: 600; }
.menu > div { position: absolute; left: 0; right: 0; z-index: 2; padding: 0 0.5rem 1rem; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu .ways, .menu .theme { padding: 0.5rem 0.75rem; }
.menu .theme fieldset { width: max-content; }
main { grid-area: main; padding: 2rem 3rem 4rem; max-width: 60rem; min-width: 0; overflow-wrap: break-word; }
main.full { max-width: 100rem; }
h1 { font-size: 2rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
a { color: var(--accent); }
code { font: 0.875em var(--mono); background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
code span { white-space: nowrap; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: var(--corner); padding: 0.9rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.code { position: relative; margin: 1rem 0; }
.code pre { margin: 0; }
.code pre code { display: block; width: max-content; min-width: 100%; padding-right: 3.5rem; line-height: 1.5; }
.copy {
  position: absolute; top: 0.4rem; right: 0.4rem; padding: 0.15rem 0.55rem; font: inherit; font-size: 0.8rem; line-height: 1.5;
  color: var(--text); background: var(--ground); border: 1px solid var(--line); border-radius: var(--corner-small); cursor: pointer;
}
.copy:hover { border-color: var(--accent); color: var(--accent); }
@media (hover: hover) {
  .copy { opacity: 0; }
  .code:hover .copy, .code:focus-within .copy { opacity: 1; }
}
.lead { font-size: 1.15rem; color: var(--quiet); max-width: 44rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.25rem; margin: 2rem 0; }
.card { border: 1px solid var(--line); border-top: 3px solid var(--accent); border-radius: var(--corner); padding: 1.25rem 1.5rem; background: var(--panel); }
.card h2 { margin: 0 0 0.4rem; padding: 0; border: 0; }
.card p { margin: 0 0 0.9rem; color: var(--quiet); font-size: 0.95rem; }
.card ul { list-style: none; margin: 0; padding: 0; }
.card li { margin: 0.35rem 0; }
.edit { margin: 3rem 0 0; font-size: 0.9rem; }
.turn { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem; margin: 3rem 0 0; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.turn a { flex: 0 1 auto; padding: 0.5rem 0.9rem; border: 1px solid var(--line); color: var(--accent); }
.turn a[rel="next"] { margin-left: auto; text-align: right; }
.turn span { display: block; color: var(--quiet); font-size: 0.8rem; }
.route { display: flex; align-items: baseline; gap: 0.6rem; margin: 0 0 1.25rem; }
.route code { font-size: 1rem; }
.method { flex: none; min-width: 3.6rem; padding: 0.1rem 0.45rem; border: 1px solid; border-radius: 5px; text-align: center; font: 700 0.75rem/1.5 var(--mono); }
.get { color: var(--get); }
.post { color: var(--post); }
.put, .patch { color: var(--put); }
.delete { color: var(--delete); }
.columns > div { min-width: 0; }
.columns h2:first-child { margin-top: 0; }
.columns > div:first-child > p:first-child { margin-top: 0; }
@media (min-width: 72rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
  .columns > div:last-child { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; padding: 4px; margin: -4px; }
}
.operations { list-style: none; padding: 0; }
.operations li { display: flex; align-items: baseline; gap: 0.9rem; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
.operations li > span:last-child { min-width: 0; }
.operations .summary { color: var(--quiet); margin-left: 0.4rem; }
.filter input, .try input, .try select, .try textarea {
  font: inherit; font-size: 0.95rem; padding: 0.35rem 0.6rem; border-radius: var(--corner-small); border: 1px solid var(--field); color: var(--text); background: var(--ground);
}
.filter { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; }
.filter input { width: 20rem; max-width: 100%; }
.filter span { color: var(--quiet); }
.tab-list { display: flex; flex-wrap: wrap; gap: 0 0.1rem; margin: 0 0 0.75rem; border-bottom: 1px solid var(--line); }
.tab-list button { font: inherit; font-size: 0.92rem; padding: 0.3rem 0.55rem; color: var(--quiet); background: none; border: 0; border-bottom: 3px solid transparent; cursor: pointer; }
.tab-list button:hover { color: var(--text); }
.tab-list button:focus-visible { outline-offset: -3px; }
.tab-list [aria-selected="true"] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
.tab-list [data-kind="bad"][aria-selected="true"] { border-bottom-color: var(--delete); }
.tab-list [data-kind="good"][aria-selected="true"] { border-bottom-color: var(--post); }
div.sample { border: 0; margin: 0; }
div.sample .code { margin: 0; }
div.sample pre { border: 1px solid var(--line); border-radius: var(--corner); }
.tree { list-style: none; margin: 0; padding: 0; }
.tree .tree { margin: 0.25rem 0 0.25rem 0.4rem; padding-left: 0.9rem; border-left: 2px solid var(--line); }
.tree li { padding: 0.45rem 0; border-bottom: 1px solid var(--line); }
.tree li:last-child { border-bottom: 0; }
.tree p { margin: 0.15rem 0; }
.tree div { font-size: 0.95rem; }
.field code { font-weight: 600; }
.field span { color: var(--quiet); font-size: 0.85rem; overflow-wrap: anywhere; }
.field .required { color: var(--delete); }
.limits { color: var(--quiet); font-size: 0.85rem; }
summary.field, .part > summary { cursor: pointer; }
.part { margin: 0.75rem 0; }
.part > summary { font-weight: 600; font-size: 0.95rem; padding: 0.2rem 0; }
.part ul:not(.tree) { margin: 0.4rem 0; padding-left: 1.2rem; font-size: 0.92rem; }
.part .code { margin: 0.4rem 0; }
.part .code pre { max-height: 30rem; overflow: auto; }
.try { margin: 1.25rem 0; border: 1px solid var(--accent); border-radius: var(--corner); }
.try > summary { padding: 0.5rem 1rem; cursor: pointer; font-weight: 600; color: var(--accent); }
.try > form, .try > div { padding: 0 1rem 1rem; }
.try > p { margin: 0 0 0.75rem; padding: 0 1rem; color: var(--quiet); font-size: 0.9rem; }
.try form p { margin: -0.4rem 0 0.7rem; color: var(--quiet); font-size: 0.9rem; }
.try label { display: block; margin: 0 0 0.7rem; font-size: 0.9rem; }
.try label span { color: var(--quiet); }
.try input, .try select, .try textarea { display: block; width: 100%; margin-top: 0.2rem; }
.try textarea { font: 0.85rem/1.45 var(--mono); resize: vertical; }
.send { font: inherit; font-weight: 600; padding: 0.4rem 1.1rem; border: 1px solid var(--accent); border-radius: var(--corner-small); background: var(--accent); color: var(--ground); cursor: pointer; }
.send:disabled { opacity: 0.6; cursor: default; }
.status { font-weight: 600; }
.status[data-kind="good"] { color: var(--post); }
.status[data-kind="bad"] { color: var(--delete); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); min-width: 7rem; overflow-wrap: normal; }
td code { overflow-wrap: normal; }
td:last-child code { overflow-wrap: anywhere; }
dt { margin-top: 1rem; }
dt code { font-weight: 600; margin-right: 0.4rem; }
dt span { color: var(--quiet); font-size: 0.875rem; margin-right: 0.4rem; }
dt .type { font-family: var(--mono); overflow-wrap: anywhere; }
dd { margin: 0.25rem 0 0 1.25rem; }
dd p { margin: 0 0 0.4rem; }
figure { margin: 1rem 0; }
.sample { border: 1px solid var(--line); border-radius: var(--corner); margin: 0.5rem 0; }
.sample summary { padding: 0.4rem 1rem; cursor: pointer; font-size: 0.95rem; font-weight: 600; }
.sample .code { margin: 0; }
.fold > summary { display: flex; align-items: baseline; gap: 0.6rem; cursor: pointer; border-bottom: 1px solid var(--line); }
.fold > summary::before { content: ""; flex: none; width: 0.45rem; height: 0.45rem; border: solid var(--quiet); border-width: 0 2px 2px 0; rotate: -45deg; }
.fold[open] > summary::before { rotate: 45deg; }
.fold > summary h2 { margin: 1rem 0 0.6rem; padding: 0; border: 0; }
.open-all { font: inherit; font-size: 0.9rem; padding: 0.3rem 0.8rem; margin: 0 0 1rem; color: var(--text); background: var(--ground); border: 1px solid var(--field); border-radius: var(--corner-small); cursor: pointer; }
details.sample pre { border: 0; border-top: 1px solid var(--line); border-radius: 0 0 var(--corner) var(--corner); }
figcaption { color: var(--quiet); font-size: 0.875rem; margin-bottom: 0.25rem; }
figure .code { margin: 0; }
.sections { columns: 18rem; padding-left: 1.25rem; }
${themeStyle}@media (max-width: 50rem) {
  body { grid-template: "header menu" auto "main main" 1fr / minmax(0, 1fr) auto; }
  header { padding: 0.4rem 0 0.4rem 1rem; gap: 0.75rem; flex-wrap: nowrap; }
  .search { flex: 1 1 6rem; min-width: 0; }
  .search input { flex: 1 1 auto; width: 4rem; }
  .open-search { flex: 1 1 6rem; min-width: 0; }
  header .search button, .open-search kbd { display: none; }
  .side, header .ways, header .theme { display: none; }
  .menu { display: block; }
  nav a { padding: 0.35rem 0.75rem; }
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.6rem; }
}
@media print {
  header, .side, .menu, .turn, .edit, .copy, .try, .tab-list { display: none !important; }
  [role="tabpanel"][hidden], [role="tabpanel"] > [hidden]:first-child { display: block !important; }
}
`
