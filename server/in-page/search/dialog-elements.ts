import { searchStyle } from './search-style.ts'

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

const icon =
  '<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>'
const markup =
  `<style>${searchStyle.trim()}</style>` +
  `<button class="opener" type="button" aria-label="Search" aria-haspopup="dialog" title="Search ( / )" hidden>${icon}</button>` +
  '<dialog aria-label="Search"><div class="box">' +
  `<div class="ask">${icon}<input type="text" role="combobox" aria-label="Search" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded="false" aria-controls="hits" placeholder="Search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go">` +
  '<button class="close" type="button" aria-label="Close">Esc</button></div>' +
  '<div class="hits" id="hits" role="listbox" aria-label="Results"></div>' +
  '<p class="state" role="status"></p>' +
  '<p class="keys" aria-hidden="true"><kbd>↑</kbd><kbd>↓</kbd> select <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>' +
  '</div></dialog>'

/** Creates the dialog in a shadow root, to isolate it from style sheets and scripts of the page. */
export function createDialogElements(): DialogElements {
  const host = document.createElement('quire-search')
  const shadow = host.attachShadow({ mode: 'open' })
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
