/**
 * Shows the pictures, films and frames of a page whose address waits in an attribute of data for a script that does not
 * run, and those that stand in a noscript beside a placeholder. Runs inside pages, sent there as text.
 */
export function showLazyPictures(): void {
  const sources = ['data-src', 'data-lazy-src', 'data-lazy', 'data-original']
  const sets = ['data-srcset', 'data-lazy-srcset']
  const backgrounds = ['data-bg', 'data-background-image', 'data-background']
  const all = (names: string[], tags: string) =>
    document.querySelectorAll<HTMLElement>(names.flatMap(name => tags.split(' ').map(tag => `${tag}[${name}]`)).join())

  function addressIn(element: Element, names: string[]) {
    return names.map(name => element.getAttribute(name) ?? '').find(value => /[/.]\w/.test(value)) ?? ''
  }

  /** Style sheets hide what is not loaded, by classes that the missing script would change. */
  function reveal(element: HTMLElement) {
    for (const name of Array.from(element.classList))
      if (/^(b-)?lazy(-?load(ing)?)?$|^(un|not-)loaded$/i.test(name)) element.classList.remove(name)
    element.classList.add('lazyloaded', 'loaded')
    const style = getComputedStyle(element)
    if (style.opacity === '0') element.style.opacity = '1'
    if (style.visibility === 'hidden') element.style.visibility = 'visible'
    if (/blur/.test(style.filter)) element.style.filter = 'none'
  }

  const shown = new Set<Element>()
  for (const element of all(sets, 'img source')) {
    const set = addressIn(element, sets)
    const sizes = element.getAttribute('data-sizes')
    if (set === '') continue
    if (sizes && sizes !== 'auto') element.setAttribute('sizes', sizes)
    element.setAttribute('srcset', set)
    shown.add(element.closest('picture')?.querySelector('img') ?? element)
  }
  for (const element of all(sources, 'img source video audio iframe embed')) {
    const source = addressIn(element, sources)
    if (source === '') continue
    element.setAttribute('src', source)
    shown.add(element)
    if (element.tagName === 'SOURCE' && element.parentElement instanceof HTMLMediaElement) element.parentElement.load()
  }
  for (const element of all(['data-poster'], 'video'))
    element.setAttribute('poster', element.getAttribute('data-poster') ?? '')
  for (const element of all(backgrounds, '*')) {
    const background = addressIn(element, backgrounds)
    if (background === '') continue
    element.style.backgroundImage = /url\(/i.test(background) ? background : `url(${JSON.stringify(background)})`
    shown.add(element)
  }
  for (const element of shown) if (element instanceof HTMLElement && element.tagName !== 'SOURCE') reveal(element)

  const addressOf = (image: Element) => URL.parse(image.getAttribute('src') ?? '', document.baseURI)?.href ?? ''
  const present = new Set(Array.from(document.images, addressOf))
  for (const fallback of document.querySelectorAll('body noscript')) {
    const content = new DOMParser().parseFromString(fallback.textContent ?? '', 'text/html').body
    const image = content.querySelector('img')
    // A counter is no picture; a text says that scripts are off, which they are not.
    const isPixel = image?.getAttribute('width') === '1' || image?.getAttribute('height') === '1'
    if (!image || isPixel || content.textContent?.trim() !== '') continue
    const address = addressOf(image)
    if (!image.getAttribute('src') || present.has(address)) continue
    const beside = [fallback.previousElementSibling, fallback.nextElementSibling].find(
      element => element instanceof HTMLImageElement && (!element.getAttribute('src') || /^data:/.test(element.src)),
    )
    beside?.remove()
    present.add(address)
    image.removeAttribute('loading')
    fallback.before(...Array.from(content.children))
  }
}
