const shownMs = 2000

/** Shows the buttons that copy a text, and makes them work. */
export function enableCopying(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      const label = button.textContent
      button.textContent = (await copy(button.dataset.copy ?? '')) ? 'Copied' : 'Press Ctrl-C'
      setTimeout(() => {
        button.textContent = label
      }, shownMs)
    })
  }
}

/** Copies a text. The clipboard is missing on plain HTTP, but for localhost; there a selected field is copied. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
