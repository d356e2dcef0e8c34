import { palette } from '../docs/palette.ts'

/** The style sheet of the dashboard: navigation beside the page, as a menu on small screens; light or dark like the system. */
export const styleSheet = `${palette}
:root {
  --human: light-dark(#0b5cad, #7ab8ff);
  --ai: light-dark(#9a4a00, #ffb067);
  --total: light-dark(#555d65, #a3abb3);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; color: var(--text); background: var(--ground);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  display: grid; grid-template: "header header" auto "side main" 1fr / 14rem minmax(0, 1fr); min-height: 100vh;
}
body.public { display: block; }
body.public main { max-width: 34rem; margin: 0 auto; padding: 12vh 1.25rem 3rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
a { color: var(--accent); }
.skip { position: absolute; left: 0.5rem; top: -4rem; z-index: 1; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { top: 0.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.quiet, .hint { color: var(--quiet); }
header {
  grid-area: header; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.25rem;
  padding: 0.6rem 1.25rem; background: var(--panel); border-bottom: 1px solid var(--line);
}
header .organization { overflow-wrap: anywhere; margin-right: auto; display: flex; gap: 0.4rem; font-weight: 600; min-width: 0; }
header .organization a { font-weight: 400; }
header select { max-width: 12rem; }
header form { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; margin: 0; }
.brand { display: inline-flex; align-items: center; gap: var(--space-2); font-size: 1.15rem; font-weight: 700; color: var(--text); text-decoration: none; }
.side { grid-area: side; background: var(--panel); border-right: 1px solid var(--line); padding: 1rem 0.6rem; }
.side ul { position: sticky; top: 1rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.4rem 0.75rem; border-radius: 6px; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--line); }
nav .apart { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
nav a[aria-current] { background: var(--accent); color: var(--ground); }
.menu { display: none; grid-area: menu; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu summary { padding: 0.75rem 1rem; cursor: pointer; font-weight: 600; }
.menu nav { padding: 0 0.5rem 0.75rem; }
main { grid-area: main; padding: 1.5rem 2rem 4rem; max-width: 76rem; min-width: 0; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.75rem; }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 0.8rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
button, .button, select, input, textarea {
  font: inherit; font-size: 0.95rem; padding: 0.4rem 0.8rem; border-radius: 6px; border: 1px solid var(--field);
  color: var(--text); background: var(--ground); max-width: 100%;
}
button, .button { cursor: pointer; text-decoration: none; display: inline-block; line-height: 1.5; }
button:hover, .button:hover { background: var(--panel); }
button[disabled] { opacity: 0.6; cursor: not-allowed; }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; }
button.danger { color: var(--bad); border-color: var(--bad); }
button.plain { border-color: transparent; background: none; text-decoration: underline; padding: 0.4rem; }
button.copy { padding: 0.1rem 0.5rem; font-size: 0.85rem; min-width: 4.5rem; }
form.inline { display: inline; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 0.25rem 1.25rem; max-width: 44rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; margin: 1rem 0; padding: 0; list-style: none; }
.cards > * { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; min-width: 0; }
.cards h2, .cards h3 { margin: 0 0 0.4rem; font-size: 1rem; }
.figure { font-size: 1.8rem; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2; }
.figures { grid-template-columns: repeat(auto-fit, minmax(min(6.5rem, 100%), 1fr)); }
.figures:has(> :nth-child(4)) { grid-template-columns: repeat(auto-fit, minmax(min(9rem, 100%), 1fr)); }
.figures p { margin: 0.3rem 0 0; font-size: 0.9rem; }
.field { margin: 1rem 0; border: 0; padding: 0; }
.field > label:not(.check), .field > legend { display: block; font-weight: 600; margin-bottom: 0.3rem; padding: 0; }
.field input[type="text"], .field input[type="url"], .field textarea { width: 100%; }
.check { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.5rem; padding: 0.2rem 0; }
.check input { width: 1.1rem; height: 1.1rem; margin: 0.2rem 0 0; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; margin: 1rem 0 0.5rem; }
.choice { margin: 0.25rem 0 0.75rem; }
.choice > .hint, .choice > .inner { margin-left: 1.6rem; }
.choice:not(:has(> .check input:checked)) > .inner { display: none; }
form details > summary { padding: 0.4rem 0; cursor: pointer; color: var(--accent); }
.tight { margin: 0; padding-left: 1.2rem; }
.hint { margin: 0.3rem 0 0; font-size: 0.9rem; }
.problem { color: var(--bad); margin: 0.3rem 0 0; font-weight: 600; }
.notice { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: 8px; padding: 0.75rem 1.25rem; margin: 0 0 1.25rem; }
.notice h2 { margin-top: 0.25rem; }
.notice.bad { border-left-color: var(--bad); }
dialog.keys { max-width: min(32rem, 90vw); padding: 1rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: 8px; color: var(--text); background: var(--ground); }
dialog.keys dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; }
dialog.keys dd { margin: 0; }
kbd { padding: 0.1rem 0.4rem; border: 1px solid var(--field); border-radius: 4px; background: var(--panel); font: 0.875em ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
.alerts { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.alerts li { padding: 0.5rem 1rem; margin: 0.4rem 0; background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 8px; overflow-wrap: anywhere; }
.alerts .warn { border-left-color: var(--warn); }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1.5rem; }
.pairs .empty { padding: 0.75rem; }
.renewal { position: sticky; top: 0.5rem; z-index: 1; }
.secret code { font-size: 1rem; font-weight: 600; }
.empty { color: var(--quiet); border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; text-align: center; }
.wide { position: relative; overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
th, td { text-align: left; vertical-align: middle; padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; min-width: 10rem; max-width: 26rem; overflow-wrap: break-word; }
td { white-space: nowrap; }
td.text { white-space: normal; min-width: 9rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.state { display: inline-block; padding: 0 0.55rem; border-radius: 1rem; border: 1px solid currentColor; font-size: 0.85rem; }
.state.active, .state.completed, .state.good { color: var(--good); }
.state.revoked, .state.failed, .state.bad { color: var(--bad); }
.state.expired, .state.archived, .state.queued, .state.running { color: var(--quiet); }
progress, meter { width: 100%; height: 0.8rem; accent-color: var(--accent); }
.tools { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 1rem 0; }
.tools .field { margin: 0; }
.ranges ul { display: flex; flex-wrap: wrap; gap: 0.25rem; }
.ranges a { border: 1px solid var(--line); overflow-wrap: anywhere; }
form.inline + .notice { margin-top: 1rem; }
time { white-space: nowrap; }
.paging { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.75rem 0; }
.paging a.button { padding: 0.25rem 0.8rem; border-radius: 6px; }
thead th a { color: inherit; }
thead th[aria-sort] a { color: var(--text); }
thead th[aria-sort="descending"] a::after { content: " \u2193"; }
thead th[aria-sort="ascending"] a::after { content: " \u2191"; }
.steps li { margin: 0.6rem 0; }
.steps .hint { margin: 0; }
ul.plain { list-style: none; margin: 0; padding: 0; }
.state.warn { color: var(--warn); }
td meter { min-width: 7rem; vertical-align: middle; }
meter { border: 0; background: var(--line); border-radius: 3px; overflow: hidden; }
meter::-webkit-meter-bar { background: var(--line); border: 0; border-radius: 3px; height: 0.6rem; }
meter::-webkit-meter-optimum-value { background: var(--human); }
meter::-moz-meter-bar { background: var(--human); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem; margin: 1rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.chart { position: relative; min-height: 260px; margin: 0.5rem 0 1rem; }
.tooltip { position: absolute; top: 0.5rem; z-index: 1; margin: 0; padding: 0.4rem 0.7rem; white-space: pre; pointer-events: none; font-size: 0.85rem; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 2px 8px rgb(0 0 0 / 0.15); }
.legend, .chips { list-style: none; margin: 0.5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
.legend li::before { content: ""; display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.45rem; border-radius: 2px; background: var(--human); }
.legend .ai::before { background: var(--ai); }
.legend .before::before { height: 0; border-top: 2px dashed var(--text); border-radius: 0; background: none; vertical-align: middle; }
.chips { gap: 0.5rem; }
.chip { display: inline-flex; gap: 0.5rem; max-width: 100%; padding: 0.2rem 0.7rem; border: 1px solid var(--accent); border-radius: 1rem; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
.chip:hover { background: var(--panel); }
.other-days { margin: 0.5rem 0; }
.other-days > summary { cursor: pointer; color: var(--accent); }
.compare { margin-top: 0.5rem; }
.tabs { margin: 2rem 0 1rem; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
.tabs ul { display: flex; flex-wrap: wrap; gap: 0.25rem; }
.tabs a { border-radius: 6px 6px 0 0; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.5rem; }
h3 .all { font-size: 0.9rem; font-weight: 400; margin-left: 0.5rem; }
.sample { border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; padding: 0 1rem; }
.sample summary { padding: 0.5rem 0; cursor: pointer; font-weight: 600; }
.sample pre { margin: 0.5rem 0 1rem; }
.cards-if-narrow { container-type: inline-size; }
.cards-if-narrow td, .cards-if-narrow time { white-space: normal; }
.cards-if-narrow th[scope="row"] { overflow-wrap: anywhere; min-width: 7rem; }
.cards-if-narrow td code { overflow-wrap: normal; }
@container (max-width: 54rem) {
  .cards-if-narrow > table, .cards-if-narrow tbody, .cards-if-narrow tr { display: block; }
  .cards-if-narrow thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards-if-narrow tr { border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem 1rem; margin-bottom: 0.75rem; }
  .cards-if-narrow th[scope="row"], .cards-if-narrow td { display: block; max-width: none; white-space: normal; border: 0; padding: 0.15rem 0; text-align: left; }
  .cards-if-narrow td[data-heading] { display: flow-root; padding-left: 7.75rem; }
  .cards-if-narrow td[data-heading]::before { content: attr(data-heading); float: left; width: 7rem; margin-left: -7.75rem; color: var(--quiet); }
  .cards-if-narrow td:not([data-heading]) { padding-top: 0.5rem; }
}
@media (max-width: 50rem) {
  body { grid-template: "header" auto "menu" auto "main" 1fr / minmax(0, 1fr); }
  .side { display: none; }
  .menu { display: block; }
  header { padding: 0.6rem 1rem; }
  header .who, header .keys { display: none; }
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  .figures { gap: 0.5rem; }
  .figures > * { padding: 0.6rem 0.75rem; }
  .figures .figure { font-size: 1.4rem; }
  th, td { padding: 0.5rem 0.4rem; }
  tbody th { min-width: 7rem; }
  td:has(> meter[aria-hidden]), thead td:last-child:empty { display: none; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 0.6rem; }
}
`
