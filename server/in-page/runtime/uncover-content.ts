/** Shows content that a site hides by a class, an attribute or a style until its script runs. */
export function uncoverContent(): void {
  const named = findContents('main, [role=main], article, h1')
  const contents = named.length > 0 ? named : findContents('p')
  if (contents.some(isSeen)) return
  const [content] = contents.sort((a, b) => (b.textContent ?? '').length - (a.textContent ?? '').length)
  const boxes: HTMLElement[] = []
  for (let box = content ?? null; box; box = box.parentElement) boxes.unshift(box)
  for (const box of boxes) uncover(box)
}

function findContents(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter(
    it => !it.closest('dialog, [role=dialog], [role=search], nav, [aria-hidden=true]') && it.textContent?.trim() !== '',
  )
}

function isSeen(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

function uncover(box: HTMLElement): void {
  const style = getComputedStyle(box)
  const isCovered = () => style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0'
  if (!isCovered()) return
  // Removing the class or attribute that hides the box keeps the site's own layout.
  for (const name of [...box.classList]) {
    box.classList.remove(name)
    if (!isCovered()) break
    box.classList.add(name)
  }
  for (const { name, value } of isCovered() ? [...box.attributes] : []) {
    if (name === 'class' || name === 'id') continue
    box.removeAttribute(name)
    if (!isCovered()) break
    box.setAttribute(name, value)
  }
  if (style.display === 'none') box.style.setProperty('display', 'block', 'important')
  if (style.visibility === 'hidden') box.style.setProperty('visibility', 'visible', 'important')
  if (style.opacity === '0') box.style.setProperty('opacity', '1', 'important')
}
