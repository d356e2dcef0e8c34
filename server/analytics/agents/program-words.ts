import { list as isbotPatterns } from 'isbot'
import { type AgentEntry, AgentList, type AgentMatch, type ListSource } from './agent-list.ts'

/** Searched after all lists of agents, only to decide whether the user agent is a program. */
export const isbotList: ListSource = {
  name: 'isbot',
  version: '5.2.3',
  asOf: '2026-11-09',
  url: 'https://github.com/omrilotan/isbot',
  licence: 'Unlicense',
}

/**
 * The patterns of isbot that match browsers: names of phones and televisions (Radar, Catcher, Java), in-app browsers that
 * write tables into their user agent (`|`), and extensions (FirePHP). They do not count against a user agent with the form
 * of a browser. Of 6,700 user agents of programs from eight lists, only one of that form was recognized by one of these
 * patterns alone.
 */
const wordsOfBrowsers = new Set([
  '\\b\\w+/1\\.0;',
  'java(?!;)',
  '\\|',
  '^[^ ]{50,}$',
  'catch',
  '\\(\\)',
  'radar',
  'firephp',
  'chromeframe',
  'parser',
  '(?:^|[^g])news(?!sapphire)',
  ';\\s\\w+;$',
])

/** The patterns of isbot for the form of a user agent. Old phones have the same forms: `SAMSUNG-SGH-E690`, `LG-KP215/1`. */
const formNames: Readonly<Record<string, string>> = {
  '^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)': 'a name only',
  '^[\\w\\-]+/[\\w]+$': 'a name and a version',
  '^\\w+/[\\w\\(\\)]*$': 'a name and a version',
  '^\\w+/\\d\\.\\d\\s\\([\\w@]+\\)$': 'a name and a comment',
  '^\\d+\\b': 'a number first',
  '^[<\\(;]': 'a bracket first',
}

/** Names of patterns that are not words. */
const otherNames: Readonly<Record<string, string>> = {
  '^[^ ]{50,}$': 'no space',
  ';\\s\\w+;$': 'an open comment',
  '\\b\\w+/1\\.0;': 'version 1.0',
  '@[a-z][\\w-]+\\.': 'a mail address',
  '\\(\\)': 'an empty comment',
  '\\|': 'a vertical bar',
  '(?:^|[^g])news(?!sapphire)': 'news',
  '(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))': 'google',
  '^mozilla/\\d\\.\\d\\s[\\w\\.-]+$': 'Mozilla only',
  '^mozilla/\\d\\.\\d\\s\\((?:compatible;)?(?:\\s?[\\w\\d-.]+[\\s/]\\d+\\.\\d+)?\\)$': 'Mozilla and a name',
}

/** Televisions write names before it: `Zeasn/2.0 NETTV/4.5.0 Mozilla/5.0 (`. */
const browserForm = /^(?:[\w.-]{1,20}\/[\w.]{1,20} ){0,2}(?:Mozilla|Opera)\/\d/

/** The user agents of old phones begin with the maker and the model, or name their platform; text browsers are only a name. */
const phoneForm =
  /^(?:dillo|elinks|hotjava|links|lynx|w3m|acer|alcatel|amoi|asus|benq|bird|blackberry|docomo|ericsson|gionee|haier|htc|huawei|iphone|j-phone|kddi|kyocera|lenovo|lge?|lgu|mitsu|mot|motorola|nec|nokia|nook|palm|panasonic|pantech|philips|portalmmm|sagem|samsung|sanyo|sec-sgh|sendo|sharp|sie|softbank|sony(?:ericsson)?|sprd|tcl|tianyu|toshiba|vodafone|zte)(?:[-_/ ]|[a-z]{0,3}\d)|(?:MIDP|CLDC)-\d|\bMRE[/\\]|\b(?:Obigo|NetFront|Teleca|Openwave|UCBrowser)\b|UP\.(?:Browser|Link)/i

const browserNames =
  /Mozilla|Opera|WebKit|Gecko|KHTML|Presto|Trident|MSIE|Android|iPhone|iPad|Symbian|Series ?[3468]0|J2ME|HbbTV|Tizen|webOS|SmartTV|Smart-TV|KaiOS|PlayStation|Nintendo|Mosaic|Lynx|Links|w3m|NetSurf|Dillo|iCab|Amiga|Browser|Safari|Chrome|Firefox|Brave|UCWEB|Windows Phone|Windows CE|BREW/i

const engine =
  /WebKit|Gecko|rv:\d|Trident|MSIE|Presto|KHTML|Opera|Goanna|Servo|NetFront|Obigo|Teleca|Konqueror|Cobalt|BlackBerry|Symbian|Series ?\d0|S60V|MIDP|PlayStation|PSP|Nintendo|HbbTV|Browser|Firefox|Chrome|UCWEB|iCab|Voyager|NetPositive|WebTV|OmniWeb|Galaxy|Dillo|Android|BREW|FOMA/i

/** `Mozilla/4.0 (compatible; X)` and `Mozilla/5.0 (Macintosh) X/1`: programs use these forms, and no browser since 1998. */
const programForm = /^Mozilla\/\d+\.\d+ ?\((?: ?compatible\b|[^()]*\) ?[\w.]+\/[\w.]+$)/i

/** Makers of televisions and phones write `Mozilla/6.0`, but no browser has been called `Mozilla/9.9`. */
const laterMozilla = /^Mozilla\/(?:[6-9]|\d\d)\.[1-9]/

const words = new AgentList(isbotList, entriesOf(isWord), { wholeWords: false, ignoreCase: true })
const forms = new AgentList(isbotList, entriesOf(isForm), { wholeWords: false, ignoreCase: true })
const browserWords = new AgentList(isbotList, entriesOf(isBrowserWord), { wholeWords: false, ignoreCase: true })

/** Finds a pattern of isbot in a user agent. A browser or a phone needs more than the patterns that match its like. */
export function findProgramWord(userAgent: string): AgentMatch | undefined {
  const word = words.find(userAgent)
  if (word) return word
  const isBrowser = browserForm.test(userAgent)
  const form = forms.find(userAgent) ?? (isBrowser ? undefined : browserWords.find(userAgent))
  return form && phoneForm.test(userAgent) ? undefined : form
}

/** Returns whether the user agent names a browser, a browser engine, or a device on which people browse. */
export function namesBrowser(userAgent: string): boolean {
  if (!browserForm.test(userAgent)) return browserNames.test(userAgent) || phoneForm.test(userAgent)
  return !laterMozilla.test(userAgent) && (engine.test(userAgent) || !programForm.test(userAgent))
}

/** Returns whether the user agent has the form of a browser: `Mozilla/5.0 (...`. */
export function isBrowserForm(userAgent: string): boolean {
  return browserForm.test(userAgent)
}

function isForm(pattern: string): boolean {
  return pattern in formNames
}

function isBrowserWord(pattern: string): boolean {
  return wordsOfBrowsers.has(pattern)
}

function isWord(pattern: string): boolean {
  return !isForm(pattern) && !isBrowserWord(pattern)
}

function entriesOf(isIn: (pattern: string) => boolean): AgentEntry[] {
  return isbotPatterns.filter(isIn).map(pattern => ({
    pattern,
    kind: 'neither',
    label: 'isbot',
    name: formNames[pattern] ?? otherNames[pattern] ?? toWord(pattern),
  }))
}

/** `(?<! cu)bots?(?:\b|_)` -> `bots` */
function toWord(pattern: string): string {
  return pattern
    .replaceAll(/\(\?<?[!:][^()]*\)/g, ' ')
    .replaceAll(/\[[^[\]]*\]/g, ' ')
    .replaceAll(/\\[bsdw][+*?]?/g, ' ')
    .replaceAll(/[\\^$?*+()|]/g, '')
    .trim()
    .replace(/[/_-]$/, '')
}
