/** Shows each row of a table as a card, with the label of each value before it. */
const cards = (table: string) => `
  ${table}, ${table} :is(tbody, tr, th, td) { display: block; }
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ${table} thead:has(a) { display: block; position: static; width: auto; height: auto; clip-path: none; margin-bottom: var(--space-2); }
  ${table} thead tr { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); }
  ${table} thead :is(th, td):not(:has(a)) { display: none; }
  ${table} thead th { border: 0; padding: 0; }
  ${table} tbody tr { border: 1px solid var(--line); border-radius: var(--corner); padding: var(--space-3) var(--space-4); margin-bottom: var(--space-3); }
  ${table} tbody tr:hover { background: none; }
  ${table} tbody :is(th, td) { max-width: none; border: 0; padding: 0.15rem 0; text-align: left; }
  ${table} tbody th { padding-bottom: var(--space-1); }
  ${table} :is(td, td code) { overflow-wrap: anywhere; }
  ${table} td[data-label] { display: flow-root; padding-left: 7.5rem; white-space: normal; }
  ${table} td[data-label]::before { content: attr(data-label); float: left; width: 7rem; margin-left: -7.5rem; color: var(--quiet); }
  ${table} td:empty { display: none; }
  ${table} td:not([data-label]) { padding-top: var(--space-2); }
  ${table} td:has(> meter[aria-hidden]) { display: none; }`

/** Tables of the dashboard. A table becomes cards when its box, not the window, is too narrow for it. */
export const tableStyle = `
.list { container-type: inline-size; margin: var(--space-3) 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
th, td { text-align: left; vertical-align: middle; padding: var(--space-2) var(--space-3); border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: var(--space-2); }
thead th { color: var(--quiet); font-weight: 600; font-size: var(--size-small); white-space: nowrap; }
tbody tr:hover { background: var(--panel); }
tbody th { font-weight: 600; min-width: 8rem; max-width: 26rem; }
td, td code { overflow-wrap: break-word; }
tbody th, td.text, td.text code { overflow-wrap: anywhere; }
td.text { min-width: 9rem; }
td :is(button, .state) { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
td meter { min-width: 7rem; vertical-align: middle; }
thead th a { color: inherit; }
thead th[aria-sort] a { color: var(--text); }
thead th[aria-sort="descending"] a::after { content: " \\2193"; }
thead th[aria-sort="ascending"] a::after { content: " \\2191"; }
@container (max-width: 34rem) {${cards('.list > table')}
}
@container (max-width: 54rem) {${cards('.many > table')}
}
`
