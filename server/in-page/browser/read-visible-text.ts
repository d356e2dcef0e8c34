/** Returns the visible text of the page. */
export default function readVisibleText(): string {
  return document.body?.innerText ?? ''
}
