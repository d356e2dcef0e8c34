import { decodeRaw, encodeAttribute, encodeRaw, type RawText } from './text-encoding.ts'

/** A page of more text than this says something before it leaves. */
const maxText = 400
const maxMarkup = 20_000

/** The literal is the whole address: nothing is added to it. */
const leaves =
  /(?:^|[;{}()\s])(?:window\.|document\.|self\.|top\.)*location(?:\.href\s*=|\s*=|\.(?:replace|assign)\s*\()\s*(["'`])([^"'`\s<>\\]{1,2000})\1(?!\s*[+.?[,&|])/

/**
 * A page that holds nothing but a script that goes elsewhere, as the page that it stands for: one that leads on without
 * scripts. The address is what the script gives as a literal; null for every other page.
 */
export function readScriptRedirect({ text, charset }: RawText): RawText | null {
  if (text.length > maxMarkup || !text.includes('location')) return null
  const scripts: string[] = []
  const rest = text.replace(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi, (_, attributes: string, script: string) => {
    const isData = /\btype\s*=\s*["']?(?!module|(?:text|application)\/javascript)\w/i.test(attributes)
    // A loaded one may do anything.
    if (!isData) scripts.push(/\bsrc\s*=/i.test(attributes) ? '' : script)
    return ''
  })
  const [script = ''] = scripts
  const program = script.replace(/(["'`])[^"'`]*\1/g, '')
  // A script that decides whether to leave, or does so again and again, is a program, not a redirect.
  if (
    scripts.length !== 1 ||
    /\b(?:if|for|while|do|switch|try|function|addEventListener|setTimeout)\b|=>|\?/.test(program)
  )
    return null
  const visible = rest.replace(/<(title|style|noscript)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<[^>]*>/gi, '').trim()
  const address = leaves.exec(script)?.[2]
  if (address === undefined || visible.length > maxText) return null
  // What a browser refuses to a page (chrome:), runs (javascript:) or fills in (${...}) leads nowhere else.
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address) || address.includes('${')) return null
  const target = encodeAttribute(decodeRaw(address, charset), charset)
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? 'This page has moved'
  const markup =
    `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=${target}"/><title>${title}</title></head>` +
    `<body><p><a href="${target}">This page has moved.</a></p></body></html>\n`
  return { text: encodeRaw(markup, charset, code => `&#${code};`), charset }
}
