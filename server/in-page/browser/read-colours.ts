/** Returns the colours that a reader sees change with the theme: those of the content, and the backgrounds around it. */
export default function readColours(): string {
  const content = document.querySelector('main, article, [role=main], h1') ?? document.body
  const backgrounds = [document.documentElement, document.body, content].map(
    part => getComputedStyle(part).backgroundColor,
  )
  return [getComputedStyle(content).color, ...backgrounds].join(' ')
}
