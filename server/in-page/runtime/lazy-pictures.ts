const sources = ['data-src', 'data-lazy-src', 'data-lazy', 'data-original']
const sourceSets = ['data-srcset', 'data-lazy-srcset']
const backgrounds = ['data-bg', 'data-background-image', 'data-background']

/**
 * Shows images, videos and frames whose address is in a data attribute. The site's script would do this, but it does not
 * run.
 */
export function showLazyPictures(): void {
  const shown = new Set<Element>([...showSourceSets(), ...showSources()])
  for (const video of findAll(['data-poster'], 'video'))
    video.setAttribute('poster', video.getAttribute('data-poster') ?? '')
  for (const element of showBackgrounds()) shown.add(element)
  for (const element of shown) if (element instanceof HTMLElement && element.tagName !== 'SOURCE') reveal(element)
}

/** Returns the changed elements. */
function showSourceSets(): Element[] {
  const shown: Element[] = []
  for (const element of findAll(sourceSets, 'img source')) {
    const set = addressIn(element, sourceSets)
    const sizes = element.getAttribute('data-sizes')
    if (set === '') continue
    if (sizes && sizes !== 'auto') element.setAttribute('sizes', sizes)
    element.setAttribute('srcset', set)
    shown.push(element.closest('picture')?.querySelector('img') ?? element)
  }
  return shown
}

function showSources(): Element[] {
  const shown: Element[] = []
  for (const element of findAll(sources, 'img source video audio iframe embed')) {
    const source = addressIn(element, sources)
    if (source === '') continue
    element.setAttribute('src', source)
    shown.push(element)
    if (element.tagName === 'SOURCE' && element.parentElement instanceof HTMLMediaElement) element.parentElement.load()
  }
  return shown
}

function showBackgrounds(): Element[] {
  const shown: Element[] = []
  for (const element of findAll(backgrounds, '*')) {
    const background = addressIn(element, backgrounds)
    if (background === '') continue
    element.style.backgroundImage = /url\(/i.test(background) ? background : `url(${JSON.stringify(background)})`
    shown.push(element)
  }
  return shown
}

function findAll(attributes: string[], tags: string): NodeListOf<HTMLElement> {
  return document.querySelectorAll<HTMLElement>(
    attributes.flatMap(name => tags.split(' ').map(tag => `${tag}[${name}]`)).join(),
  )
}

/** Returns the first value that looks like an address, or an empty text. */
function addressIn(element: Element, attributes: string[]): string {
  return attributes.map(name => element.getAttribute(name) ?? '').find(value => /[/.]\w/.test(value)) ?? ''
}

/** Shows an element that style sheets hide until it is loaded. Changes the classes that the missing script would change. */
function reveal(element: HTMLElement): void {
  for (const name of Array.from(element.classList))
    if (/^(b-)?lazy(-?load(ing)?)?$|^(un|not-)loaded$/i.test(name)) element.classList.remove(name)
  element.classList.add('lazyloaded', 'loaded')
  const style = getComputedStyle(element)
  if (style.opacity === '0') element.style.opacity = '1'
  if (style.visibility === 'hidden') element.style.visibility = 'visible'
  if (/blur/.test(style.filter)) element.style.filter = 'none'
}
