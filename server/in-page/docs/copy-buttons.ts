const copiedShownMs = 2000

/** Adds a button to each block of code, which copies it. */
export function addCopyButtons(root: ParentNode): void {
  for (const block of root.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const code = block.querySelector('code')
      button.textContent = code && (await copy(code)) ? 'Copied' : 'Press Ctrl-C'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, copiedShownMs)
    })
    block.append(button)
  }
}

/** Copies the text of an element. The clipboard is missing on plain HTTP, but for localhost; there the selected text is copied. */
async function copy(element: Element): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(element.textContent ?? '').then(
      () => true,
      () => false,
    )
  }
  getSelection()?.selectAllChildren(element)
  return document.execCommand('copy')
}
