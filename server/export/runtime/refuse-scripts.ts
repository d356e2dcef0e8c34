import { refuseScripts } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { normalizeScript } from '../../products/recognize-products.ts'
import { parseAddressPattern } from '../../web/address-pattern.ts'

const inlineSign = 'inline:'

/**
 * Returns markup for the head of pages with scripts. It keeps the scripts from inserting what the operator removes.
 *
 * @param patterns see `removeScripts` in `RemovalRules`; empty = there is no markup.
 */
export function refusalMarkup(patterns: readonly string[]): string {
  if (patterns.length === 0) return ''
  const isInline = (text: string) => text.startsWith(inlineSign)
  const addresses = patterns.filter(text => !isInline(text)).map(text => parseAddressPattern(text).source)
  const inline = patterns.filter(isInline).map(text => normalizeScript(text.slice(inlineSign.length)))
  return `<script>${callScript(
    refuseScripts,
    addresses,
    inline.map(text => text.replaceAll(/\s+/g, '')),
  )}</script>`
}
