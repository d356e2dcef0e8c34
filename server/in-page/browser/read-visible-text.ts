/** The text that a reader sees. */
export default function readVisibleText(): string {
  return document.body?.innerText ?? ''
}
