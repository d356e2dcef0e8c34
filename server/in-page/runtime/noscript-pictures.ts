/** Shows images from noscript elements, in place of the adjacent placeholder. */
export function showNoscriptPictures(): void {
  const present = new Set(Array.from(document.images, addressOf))
  for (const fallback of document.querySelectorAll('body noscript')) {
    const content = new DOMParser().parseFromString(fallback.textContent ?? '', 'text/html').body
    const image = content.querySelector('img')
    // One-pixel images count visitors. Text is not shown, because it would wrongly say that scripts are disabled.
    const isPixel = image?.getAttribute('width') === '1' || image?.getAttribute('height') === '1'
    if (!image || isPixel || content.textContent?.trim() !== '') continue
    const address = addressOf(image)
    if (!image.getAttribute('src') || present.has(address)) continue
    findPlaceholder(fallback)?.remove()
    present.add(address)
    image.removeAttribute('loading')
    fallback.before(...Array.from(content.children))
  }
}

function findPlaceholder({ previousElementSibling, nextElementSibling }: Element): Element | null | undefined {
  return [previousElementSibling, nextElementSibling].find(
    element => element instanceof HTMLImageElement && (!element.getAttribute('src') || /^data:/.test(element.src)),
  )
}

function addressOf(image: Element): string {
  return URL.parse(image.getAttribute('src') ?? '', document.baseURI)?.href ?? ''
}
