const lazyMarkers =
  '[data-src], [data-srcset], [data-original], [data-lazy], [data-lazy-src], [data-lazy-srcset], [data-bg], .lazyload, .lazy'

/** Scrolls through the page once, to load images that load when visible. Returns false if the page has none. */
export default async function scrollThrough(maxSteps: number): Promise<boolean> {
  const lazy = document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>(
    'img[loading=lazy], iframe[loading=lazy]',
  )
  for (const element of lazy) element.loading = 'eager'
  const awaited = [...(window.__quireWatch?.awaited ?? [])]
  if (!document.querySelector(lazyMarkers) && !awaited.some(mayLoad)) return lazy.length > 0
  const waitForFrame = createFrameWaiter()
  const step = Math.max(400, window.innerHeight - 100)
  for (let at = 0, steps = 0; at < document.documentElement.scrollHeight && steps < maxSteps; at += step, steps += 1) {
    window.scrollTo(0, at)
    await waitForFrame()
  }
  await waitForFrame()
  window.scrollTo(0, 0)
  return true
}

/**
 * Decides whether an observed element may load content: observers that load content observe media or empty elements. Most
 * others only highlight a heading in the menu.
 */
function mayLoad(element: Element): boolean {
  const isPlace = element.matches('img, iframe, video, picture, source') || element.textContent?.trim() === ''
  return element.isConnected && isPlace
}

/**
 * Returns a function that waits for one frame. Observers run when a frame is drawn, and a busy machine draws few frames. If
 * the page is never drawn, the function waits for the duration of a frame.
 */
function createFrameWaiter(): () => Promise<void> {
  const later = window.__quireWatch?.setTimeout ?? setTimeout
  const endsAt = performance.now() + 10_000
  let framesMissed = 0
  return () =>
    new Promise<void>(resolve => {
      const missed = later(
        () => {
          framesMissed += 1
          resolve()
        },
        framesMissed < 2 && performance.now() < endsAt ? 1000 : 20,
      )
      requestAnimationFrame(() => {
        clearTimeout(missed)
        later(resolve, 0)
      })
    })
}
