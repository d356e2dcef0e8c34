import { decodeRaw, encodeAttribute, encodeRaw, type RawText } from './text-encoding.ts'

/** A page with more visible text is content, not a redirect. */
const maxText = 400
const maxMarkup = 20_000

/** An assignment to the location. Its literal is the whole address. */
const redirect =
  /(?:^|[;{}()\s])(?:window\.|document\.|self\.|top\.)*location(?:\.href\s*=|\s*=|\.(?:replace|assign)\s*\()\s*(["'`])([^"'`\s<>\\]{1,2000})\1(?!\s*[+.?[,&|])/

/**
 * Converts a page that contains only a redirect by script into a page that redirects without scripts. Returns null for all
 * other pages, and if the script's address is not a single literal.
 */
export function readScriptRedirect({ text, charset }: RawText): RawText | null {
  if (text.length > maxMarkup || !text.includes('location')) return null
  const scripts: string[] = []
  const rest = text.replace(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi, (_, attributes: string, script: string) => {
    const isData = /\btype\s*=\s*["']?(?!module|(?:text|application)\/javascript)\w/i.test(attributes)
    // A loaded script may contain any code.
    if (!isData) scripts.push(/\bsrc\s*=/i.test(attributes) ? '' : script)
    return ''
  })
  const [script = ''] = scripts
  const program = script.replace(/(["'`])[^"'`]*\1/g, '')
  // A script with conditions, loops or callbacks is a program, not a redirect.
  if (
    scripts.length !== 1 ||
    /\b(?:if|for|while|do|switch|try|function|addEventListener|setTimeout)\b|=>|\?/.test(program)
  )
    return null
  const visible = rest.replace(/<(title|style|noscript)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<[^>]*>/gi, '').trim()
  const address = redirect.exec(script)?.[2]
  if (address === undefined || visible.length > maxText) return null
  // Addresses that a browser refuses (chrome:), executes (javascript:) or completes (${...}) are not redirects.
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address) || address.includes('${')) return null
  const target = encodeAttribute(decodeRaw(address, charset), charset)
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? 'This page has moved'
  const markup =
    `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=${target}"/><title>${title}</title></head>` +
    `<body><p><a href="${target}">This page has moved.</a></p></body></html>\n`
  return { text: encodeRaw(markup, charset, code => `&#${code};`), charset }
}
