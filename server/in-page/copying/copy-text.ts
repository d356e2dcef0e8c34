/**
 * Copies a text. The clipboard is missing on plain HTTP, but for localhost, and a browser may refuse it; there the element that shows
 * the text is selected and copied. It stays selected, so that a person can copy it.
 *
 * @param shown undefined = no element shows the text.
 */
export async function copyText(text: string, shown: Element | undefined): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // There is none, or it was refused.
  }
  if (shown) {
    getSelection()?.selectAllChildren(shown)
    return document.execCommand('copy')
  }
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
