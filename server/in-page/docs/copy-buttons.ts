import { copyText } from '../copying/copy-text.ts'

const copiedShownMs = 2000

/** Adds a button to each block of code, which copies it, and a text for screen readers that says whether it did. */
export function addCopyButtons(root: ParentNode): void {
  const status = document.createElement('p')
  status.className = 'unseen'
  status.setAttribute('role', 'status')
  document.body.append(status)
  for (const block of root.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const code = block.querySelector('code')
      const outcome = code && (await copyText(code.textContent, code)) ? 'Copied' : 'Press Ctrl-C'
      button.textContent = outcome
      status.textContent = outcome
      setTimeout(() => {
        button.textContent = 'Copy'
        status.textContent = ''
      }, copiedShownMs)
    })
    block.append(button)
  }
}
