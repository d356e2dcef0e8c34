export interface DialogElements {
  /** Contains the shadow root; not attached to the page yet. */
  host: HTMLElement
  opener: HTMLButtonElement
  dialog: HTMLDialogElement
  input: HTMLInputElement
  close: HTMLButtonElement
  list: HTMLElement
  status: HTMLElement
}

/** Creates the dialog in a shadow root, to isolate it from style sheets and scripts of the page. */
export function createDialogElements(): DialogElements {
  const host = document.createElement('quire-search')
  const shadow = host.attachShadow({ mode: 'open' })
  // A style element would break a Content Security Policy without 'unsafe-inline'.
  const style = new CSSStyleSheet()
  style.replaceSync(searchStyle)
  shadow.adoptedStyleSheets = [style]
  shadow.innerHTML = markup
  const get = <T extends HTMLElement>(selector: string) => shadow.querySelector(selector) as T
  return {
    host,
    opener: get('.opener'),
    dialog: get('dialog'),
    input: get('input'),
    close: get('.close'),
    list: get('.hits'),
    status: get('.state'),
  }
}

/** Style sheet of the search dialog in its shadow root. `all: initial` excludes the styles of the page. */
const searchStyle = `
:host { all: initial; color-scheme: light; --ground: #fff; --text: #1c2024; --quiet: #60646c; --line: #e0e1e6; --chosen: #edf2fe; --accent: #2f54c4; --mark: #fff3c4; --markText: #473b00 }
:host([data-theme=dark]) { color-scheme: dark; --ground: #18191b; --text: #edeef0; --quiet: #b0b4ba; --line: #363a3f; --chosen: #1d2e62; --accent: #9eb1ff; --mark: #4d3d00; --markText: #ffe68a }
*, ::before, ::after { box-sizing: border-box }
button, input { font: inherit; color: inherit; margin: 0 }
[hidden] { display: none !important }
.opener, dialog { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: var(--text) }
.opener { position: fixed; z-index: 2147483000; right: 16px; bottom: 16px; width: 44px; height: 44px; padding: 0; display: grid; place-items: center; border: 1px solid var(--line); border-radius: 50%; background: var(--ground); cursor: pointer; box-shadow: 0 2px 10px #0003 }
.opener:hover { color: var(--accent) }
.opener:focus-visible, .close:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
dialog { border: 1px solid var(--line); border-radius: 12px; padding: 0; margin: 10vh auto auto; width: min(640px, calc(100vw - 32px)); max-width: none; max-height: 78vh; background: var(--ground); box-shadow: 0 16px 60px #0006; overflow: hidden; text-align: start }
dialog::backdrop { background: #0008 }
.box { display: flex; flex-direction: column; max-height: 78vh }
.ask { display: flex; align-items: center; gap: 10px; padding: 12px 14px; border-bottom: 1px solid var(--line); color: var(--quiet) }
.ask svg { flex: none }
input { flex: 1; min-width: 0; border: 0; outline: 0; padding: 4px 0; background: none; font-size: 17px; color: var(--text) }
input::placeholder { color: var(--quiet); opacity: 1 }
.close { border: 1px solid var(--line); border-radius: 6px; background: none; padding: 2px 8px; font-size: 12px; color: var(--quiet); cursor: pointer }
.hits { overflow-y: auto; overscroll-behavior: contain; padding: 6px }
.hits:empty { display: none }
.hits a { display: block; padding: 8px 10px; border-radius: 8px; color: inherit; text-decoration: none; overflow-wrap: anywhere; scroll-margin: 6px }
.hits a.below { margin-inline-start: 14px; padding-inline-start: 12px; border-inline-start: 2px solid var(--line); border-start-start-radius: 0; border-end-start-radius: 0 }
.hits a[aria-selected=true] { background: var(--chosen) }
.head { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; font-weight: 600 }
.page { display: block; font-size: 13px; color: var(--accent) }
.snippet { display: block; font-size: 13px; color: var(--quiet); margin-top: 2px }
mark { background: var(--mark); color: var(--markText); border-radius: 2px }
.state { margin: 0; padding: 14px; color: var(--quiet) }
.state:empty { display: none }
.state:has(.quiet) { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.keys { display: flex; gap: 5px; align-items: center; margin: 0; padding: 8px 14px; border-top: 1px solid var(--line); font-size: 12px; color: var(--quiet) }
kbd { font: inherit; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px }
kbd:nth-of-type(n+3) { margin-inline-start: 10px }
@media (max-width: 560px), (max-height: 420px) {
  dialog { margin: 0; width: 100vw; height: 100dvh; max-height: none; border: 0; border-radius: 0 }
  .box { max-height: none; height: 100dvh }
  .hits { flex: 1 }
  .keys { display: none }
}
@media (forced-colors: active) { .hits a[aria-selected=true] { outline: 2px solid Highlight; outline-offset: -2px } }
@media print { .opener { display: none } }
`

const icon =
  '<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>'
const markup =
  `<button class="opener" type="button" aria-label="Search" aria-haspopup="dialog" title="Search ( / )" hidden>${icon}</button>` +
  '<dialog aria-label="Search"><div class="box">' +
  `<div class="ask">${icon}<input type="text" role="combobox" aria-label="Search" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded="false" aria-controls="hits" placeholder="Search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go">` +
  '<button class="close" type="button" aria-label="Close with Esc">Esc</button></div>' +
  '<div class="hits" id="hits" role="listbox" aria-label="Results"></div>' +
  '<p class="state" role="status"></p>' +
  '<p class="keys" aria-hidden="true"><kbd>↑</kbd><kbd>↓</kbd> select <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>' +
  '</div></dialog>'
