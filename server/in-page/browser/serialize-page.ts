import type { SerializedPage } from './serialized-page.ts'

/**
 * Returns the current page as HTML that needs no script. Includes style rules made by scripts and declarative shadow trees.
 */
export default function serializePage(): SerializedPage {
  const shadowRoots: ShadowRoot[] = []
  writeRules(document, shadowRoots)
  const element = document.documentElement as HTMLElement & { getHTML?(options: object): string }
  const doctype = document.doctype ? '<!DOCTYPE html>\n' : ''
  const attributes = Array.from(element.attributes, ({ name, value }) => {
    return ` ${name}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`
  }).join('')
  const inner =
    shadowRoots.length > 0 && element.getHTML
      ? element.getHTML({ serializableShadowRoots: true, shadowRoots })
      : element.innerHTML
  return { html: `${doctype}<html${attributes}>${inner}</html>\n`, baseUrl: location.href }
}

/** Writes rules made by scripts into style elements, and collects the shadow roots below. */
function writeRules(root: Document | ShadowRoot, shadowRoots: ShadowRoot[]): void {
  for (const style of root.querySelectorAll('style')) {
    const text = style.textContent ?? ''
    if (style.sheet && text.trim() === '' && style.sheet.cssRules.length > 0) style.textContent = rulesOf(style.sheet)
    // Comment nodes of a template would become part of the style sheet.
    else if (Array.from(style.childNodes).some(({ nodeType }) => nodeType === Node.COMMENT_NODE))
      style.textContent = text
  }
  const adopted = root.adoptedStyleSheets.map(textOf).filter(text => text !== '')
  if (adopted.length > 0) {
    const style = document.createElement('style')
    style.textContent = adopted.join('\n')
    const parent = root instanceof Document ? root.head : root
    parent?.append(style)
  }
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    if (!shadowRoot) continue
    shadowRoots.push(shadowRoot)
    writeRules(shadowRoot, shadowRoots)
  }
}

/**
 * Returns the text of a constructed style sheet. Prefers the text that a script gave it: rules of which a shorthand has a
 * variable lose declarations when they are written out.
 */
function textOf(sheet: CSSStyleSheet): string {
  const given = window.__quireWatch?.styles.get(sheet)
  const isSame = given !== undefined && given.rules === sheet.cssRules.length && !/@import/i.test(given.text)
  return isSame ? given.text : rulesOf(sheet)
}

/** Returns the text of the rules. Returns an empty text for style sheets of another origin, which scripts cannot read. */
function rulesOf(sheet: CSSStyleSheet): string {
  try {
    return Array.from(sheet.cssRules, rule => rule.cssText).join('\n')
  } catch {
    return ''
  }
}
