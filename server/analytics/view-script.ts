import { countViews } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'

/** Where pages load the script for counting from. */
export const viewScriptPath = '/_quire/views.js'

/** The script for counting: 0.6 KB as gzip. */
export const viewScript = `${callScript(countViews)}\n`

export const viewScriptHeaders = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Content-Length': viewScript.length,
  'Cache-Control': 'no-cache',
} as const

/** Returns the element of a page that loads the script. */
export function loadViewScript(readers: 'all' | 'unless-opted-out'): string {
  return `<script src="${viewScriptPath}"${readers === 'all' ? '' : ' data-unless-opted-out'} defer></script>`
}
