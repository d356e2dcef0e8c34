import { createHome, homeCheck } from './guard-page.ts'

/**
 * Stands in the static first page of an app that tells its pages apart by fragments. At its own path at the root of a host it
 * puts the page there that the site sent, whose scripts then show every page; anywhere else it does nothing.
 *
 * @param shell the page of the site as it goes into the bundle, decoded.
 * @param ownPath of the page on the site, as it stands in an address.
 */
export function appMarkup(shell: string, ownPath: string): string {
  const text = JSON.stringify(shell)
    .replace(/</g, '\\u003c')
    .replace(/[^\x20-\x7e]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `${begin}(${start})(${createHome(ownPath)},${text})${end}`
}

/** The page without the app. */
export function freezeApp(text: string): string {
  const from = text.indexOf(begin)
  const to = from === -1 ? -1 : text.indexOf(end, from)
  return to === -1 ? text : text.slice(0, from) + text.slice(to + end.length)
}

const begin = '<script data-quire-app>'
const end = '</script>'

/**
 * Writes the other page into the parser, right here, and behind it an element that no tag ends: what follows in the file becomes
 * its text, and goes with it before scripts hear that the document is there. In old JavaScript, like the guard of other pages.
 */
const start = [
  'function(own,shell){',
  `var d=document,me=d.currentScript,html=d.documentElement,${homeCheck};me.remove();if(!atHome)return;`,
  'while(html.attributes.length)html.removeAttribute(html.attributes[0].name);',
  "d.addEventListener('DOMContentLoaded',function(){var it=d.getElementById('quire-rest');it&&it.remove()});",
  `d.write(shell+'<plaintext id="quire-rest" style="display:none">')}`,
].join('')
