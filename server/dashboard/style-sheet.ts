import { icon } from '../docs/icons.ts'
import { favicon, palette } from '../docs/palette.ts'
import { themeStyle } from '../docs/theme-choice.ts'
import type { StateKind } from './parts/state.ts'
import { tableStyle } from './parts/table-style.ts'

/** Each state has a colour and an icon of its own, so that nobody has to tell colours apart. */
const states = {
  active: ['accent', icon('dot')],
  queued: ['quiet', icon('clock')],
  running: ['busy', icon('arc')],
  completed: ['good', icon('check')],
  failed: ['bad', icon('cross')],
  archived: ['quiet', icon('box')],
  expired: ['warn', icon('clock')],
  revoked: ['bad', icon('ban')],
  good: ['good', icon('check')],
  warn: ['warn', icon('warning')],
  bad: ['bad', icon('cross')],
} satisfies Record<StateKind, [string, string]>

const stateStyle = `
.state {
  display: inline-flex; align-items: center; gap: 0.35em; padding: 0.05rem 0.6rem 0.05rem 0.45rem; border-radius: 1rem; white-space: nowrap;
  border: 1px solid color-mix(in srgb, currentColor 35%, var(--ground)); background: color-mix(in srgb, currentColor 8%, var(--ground));
  font-size: var(--size-tiny); font-weight: 600; line-height: 1.5;
}
.state::before, button.copy::before { content: ""; flex: none; width: 1em; height: 1em; background: currentColor; mask: var(--icon) center / contain no-repeat; }
${Object.entries(states)
  .map(([name, [color, mask]]) => `.state.${name} { color: var(--${color}); --icon: ${mask}; }`)
  .join('\n')}
.state:is(.queued, .archived) { border-style: dashed; background: none; }
@media (prefers-reduced-motion: no-preference) {
  .state.running::before { animation: turn 1.5s linear infinite; }
  @keyframes turn { to { rotate: 1turn; } }
}
@media (forced-colors: active) { .state::before, button.copy::before { background: CanvasText; } }
`

/**
 * It can be read for as long as the pointer is over it. Afterwards it cannot be seen, but a screen reader still finds it. A small
 * screen has no place where it would not cover buttons, so it stays in the page there.
 */
const toastStyle = `
@media (min-width: 50.01rem) {
.toast {
  position: fixed; right: var(--space-4); bottom: var(--space-4); z-index: 2; max-width: 28rem; margin: 0;
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.2); animation: leave 0.4s 8s both;
}
.toast:is(:hover, :focus-within) { animation-play-state: paused; }
@media (prefers-reduced-motion: reduce) { .toast { animation: leave-still 0s 12s both; } }
}
@keyframes leave { to { opacity: 0; translate: 0 1rem; pointer-events: none; } }
@keyframes leave-still { to { opacity: 0; pointer-events: none; } }
`

/** The style sheet of the dashboard: navigation beside the page, as a menu on small screens; in the chosen theme or that of the system. */
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
  font: 16px/1.5 var(--sans);
  display: grid; grid-template: "header header" auto "side main" 1fr / 14rem minmax(0, 1fr); min-height: 100vh;
}
body.public { display: block; }
body.public footer { display: flex; justify-content: center; padding: 1rem; }
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
.brand::before { content: ""; width: 1.5rem; height: 1.5rem; background: url("${favicon}") center / contain; }
.side { grid-area: side; background: var(--panel); border-right: 1px solid var(--line); padding: 1rem 0.6rem; }
.side ul { position: sticky; top: 1rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.4rem 0.75rem; border-radius: var(--corner-small); color: var(--text); text-decoration: none; }
nav a:hover { background: var(--line); }
nav .apart { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
nav a[aria-current] { background: var(--accent); color: var(--ground); }
.menu { display: none; grid-area: menu; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu summary { padding: 0.75rem 1rem; cursor: pointer; font-weight: 600; }
.menu > div { position: absolute; left: 0; right: 0; z-index: 2; padding: 0 0.5rem 0.75rem; background: var(--panel); border-bottom: 1px solid var(--line); }
.menu form { margin: 0.75rem 0.75rem 0; }
.menu .theme fieldset { width: max-content; }
main { grid-area: main; padding: 1.5rem 2rem 4rem; max-width: 76rem; min-width: 0; overflow-wrap: break-word; }
h1 { font-size: var(--size-h1); line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: var(--size-h2); margin: 2rem 0 0.75rem; }
code { font: 0.875em var(--mono); background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: var(--corner); padding: 0.8rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
button, .button, select, input, textarea {
  font: inherit; font-size: 0.95rem; padding: 0.4rem 0.8rem; border-radius: var(--corner-small); border: 1px solid var(--field);
  color: var(--text); background: var(--ground); max-width: 100%;
}
button, .button { cursor: pointer; text-decoration: none; display: inline-block; line-height: 1.5; }
button:hover, .button:hover { background: var(--panel); }
button[disabled] { opacity: 0.6; cursor: not-allowed; }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; }
button.danger { color: var(--bad); border-color: var(--bad); }
button.danger:hover { background: var(--bad); color: var(--ground); }
button.main:hover, .button.main:hover { background: color-mix(in srgb, var(--accent) 85%, var(--text)); }
button.plain { border-color: transparent; background: none; text-decoration: underline; padding: 0.4rem; }
button.copy:not([hidden]) { display: inline-flex; align-items: center; gap: 0.35em; padding: 0.1rem 0.5rem; font-size: var(--size-tiny); min-width: 4.5rem; --icon: ${icon('copy')}; }
form.inline { display: inline; }
.card { border: 1px solid var(--line); border-radius: var(--corner); padding: 0.25rem 1.25rem; max-width: 44rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; margin: 1rem 0; padding: 0; list-style: none; }
.cards > * { border: 1px solid var(--line); border-radius: var(--corner); padding: 1rem 1.25rem; min-width: 0; }
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
.card > h2:first-child { margin-top: 1rem; }
.tight { margin: 0; padding-left: 1.2rem; }
.hint { margin: 0.3rem 0 0; font-size: 0.9rem; }
.problem { color: var(--bad); margin: 0.3rem 0 0; font-weight: 600; }
.notice { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: var(--corner); padding: 0.75rem 1.25rem; margin: 0 0 1.25rem; }
.notice h2 { margin-top: 0.25rem; }
.notice.bad { border-left-color: var(--bad); }
dialog.keys { max-width: min(32rem, 90vw); padding: 1rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: var(--corner); color: var(--text); background: var(--ground); }
dialog.keys h2 { margin-top: 0; }
dialog.keys dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; }
dialog.keys dd { margin: 0; }
kbd { padding: 0.1rem 0.4rem; border: 1px solid var(--field); border-radius: 4px; background: var(--panel); font: 0.875em var(--mono); white-space: nowrap; }
.alerts { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.alerts li { padding: 0.5rem 1rem; margin: 0.4rem 0; background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: var(--corner); overflow-wrap: anywhere; }
.alerts .warn { border-left-color: var(--warn); }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1.5rem; }
.pairs .empty { padding: 0.75rem; }
.renewal { position: sticky; top: 0.5rem; z-index: 1; }
.secret code { font-size: 1rem; font-weight: 600; }
.empty { color: var(--quiet); border: 1px dashed var(--line); border-radius: var(--corner); padding: 1.5rem; text-align: center; }
progress, meter { width: 100%; height: 0.8rem; accent-color: var(--accent); }
.tools { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 1rem 0; }
.tools .field { margin: 0; min-width: 0; max-width: 100%; }
.ranges ul { display: flex; flex-wrap: wrap; gap: 0.25rem; }
.ranges a { border: 1px solid var(--line); overflow-wrap: anywhere; }
form.inline + .notice { margin-top: 1rem; }
time { white-space: nowrap; }
td time:not([data-ago]) { white-space: normal; }
.paging { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.75rem 0; }
.paging a.button { padding: 0.25rem 0.8rem; border-radius: var(--corner-small); }
.steps li { margin: 0.6rem 0; }
.steps .hint { margin: 0; }
ul.plain { list-style: none; margin: 0; padding: 0; }
meter { border: 0; background: var(--line); border-radius: 3px; overflow: hidden; }
meter::-webkit-meter-bar { background: var(--line); border: 0; border-radius: 3px; height: 0.6rem; }
meter::-webkit-meter-optimum-value { background: var(--human); }
meter::-moz-meter-bar { background: var(--human); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem; margin: 1rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.chart { position: relative; overflow: hidden; min-height: 260px; margin: 0.5rem 0 1rem; }
.tooltip { position: absolute; top: 0.5rem; z-index: 1; margin: 0; padding: 0.4rem 0.7rem; white-space: pre; pointer-events: none; font-size: 0.85rem; background: var(--ground); border: 1px solid var(--line); border-radius: var(--corner-small); box-shadow: 0 2px 8px rgb(0 0 0 / 0.15); }
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
.tabs a { border-radius: var(--corner-small) var(--corner-small) 0 0; }
h3 { font-size: var(--size-h3); margin: 1.5rem 0 0.5rem; }
h3 .all { font-size: 0.9rem; font-weight: 400; margin-left: 0.5rem; }
.sample { border: 1px solid var(--line); border-radius: var(--corner); margin: 0.5rem 0; padding: 0 1rem; }
.sample summary { padding: 0.5rem 0; cursor: pointer; font-weight: 600; }
.sample pre { margin: 0.5rem 0 1rem; }
.foreign { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.log { list-style: none; margin: 0.75rem 0; padding: 0; }
.log li { padding: 0.4rem 0; border-top: 1px solid var(--line); font-size: 0.93rem; }
.log p { margin: 0; }
.log strong { color: var(--text); }
.file { margin: 0.75rem 0; }
.file summary { cursor: pointer; }
.diff { padding: 0.4rem 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; overflow-x: hidden; font-size: var(--size-tiny); }
.diff :is(ins, del, b) { display: block; margin: 0 -0.75rem; padding: 0 0.75rem; text-decoration: none; }
.diff ins { background: color-mix(in srgb, var(--good) 14%, var(--ground)); box-shadow: inset 4px 0 var(--good); }
.diff del { background: color-mix(in srgb, var(--bad) 14%, var(--ground)); box-shadow: inset 4px 0 var(--bad); }
.diff b { color: var(--quiet); font-weight: 400; }
${tableStyle}${stateStyle}${themeStyle}${toastStyle}@media (max-width: 50rem) {
  body { grid-template: "header menu" auto "main main" 1fr / minmax(0, 1fr) auto; }
  .side, header .account, header .theme { display: none; }
  .menu { display: block; }
  header { padding: 0.4rem 0 0.4rem 1rem; gap: 0.4rem 0.75rem; }
  header > .organization { flex: 1 1 3rem; }
  header > span.organization:not(:has(a)) { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  header > .organization:is(form, :has(a)) { order: 1; flex: 1 1 100%; }
  header > .brand:has(~ form.organization, ~ .organization a) { margin-right: auto; }
  header select { max-width: none; flex: 1; min-width: 0; }
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  .figures { gap: 0.5rem; }
  .figures > * { padding: 0.6rem 0.75rem; }
  .figures .figure { font-size: 1.4rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 0.6rem; }
}
`
