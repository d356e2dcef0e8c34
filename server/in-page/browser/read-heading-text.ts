/** Returns the rendered text of the page's headings. */
export default function readHeadingText(): string {
  const headings = document.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6, [role=heading]')
  return Array.from(headings, heading => (heading.checkVisibility() ? heading.innerText : '')).join('\n')
}
