import aiAgents from './ai-agents.json' with { type: 'json' }

/** A name in the user agent of a browser that contains a word of programs. */
export interface BrowserName {
  /** Text in the user agent. */
  found: string
  /** `the name of the device`, or the reason in our list. */
  reason: string
  /** URL where the entry of our list was found. */
  source?: string
}

interface BrowserEntry {
  token: string
  reason: string
  source: string
  decided: string
  /** The text that must also be in the user agent. */
  beside?: string
}

/**
 * The model and the build of an Android device: the text after the version of Android and the language, up to the next
 * semicolon or the end of the comment. It may contain one pair of brackets.
 */
const device =
  /(\([^()]*\bAndroid [\w.-]*; ?(?:[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?; ?)?)(?!wv\b)([^();]+(?:\([^()]*\)[^();]*)?)(?=[;)])/

/** What makes the text in the place of a device the name of a program. There are phones called M Bot 51 and Spider 8. */
const programMarks = /https?:|compatible|\bwww\.|(?:bot|spider)\/|crawl|screenshot|fetch|Google-/i

const entries = aiAgents.browsers as BrowserEntry[]
const names = entries.map(entry => ({
  ...entry,
  pattern: new RegExp(`(?<![A-Za-z0-9])${entry.token}(?![A-Za-z0-9])(?:/[^\\s;,()]*)?`, 'gi'),
}))

/**
 * Removes the names of devices and browsers from the user agent of a browser, so that they are not taken for programs: the
 * Android build `AP3A.240617.008`, the phone `Butterfly`, the Sogou browser.
 */
export function removeBrowserNames(userAgent: string): { rest: string; removed: BrowserName[] } {
  const removed: BrowserName[] = []
  let rest = userAgent.replace(device, (text, before: string, found: string) => {
    if (programMarks.test(found)) return text
    removed.push({ found, reason: 'the name of the device' })
    return before
  })
  for (const { pattern, beside, reason, source } of names) {
    if (beside !== undefined && !userAgent.includes(beside)) continue
    rest = rest.replace(pattern, found => {
      removed.push({ found, reason, source })
      return ''
    })
  }
  return { rest, removed }
}
