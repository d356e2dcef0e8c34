import { listRoots } from './open-details.ts'

const choices = 'a[href], [role=option], li'
/** More links do not change any result. */
const maxTexts = 5000

/** Returns the texts of the links and of the other list entries that a reader can choose. A search shows its hits as such. */
export default function readHits(): string[] {
  const texts: string[] = []
  for (const root of listRoots()) {
    for (const element of root.querySelectorAll<HTMLElement>(choices)) {
      if (texts.length >= maxTexts) return texts
      if (isChoice(element)) texts.push((element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 200))
    }
  }
  return texts
}

/** An entry around a link counts once, as the link. Without a link, a list entry counts when the mouse points at it. */
function isChoice(element: HTMLElement): boolean {
  if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false
  if (element.matches('a[href]')) return true
  if (element.querySelector('a[href], [role=option]')) return false
  return element.matches('[role=option]') || getComputedStyle(element).cursor === 'pointer'
}
