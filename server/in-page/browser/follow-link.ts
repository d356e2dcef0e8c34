import { labelOf } from '../controls/list-controls.ts'
import type { FollowedLink } from '../controls/pressed-control.ts'
import readHeading from './read-heading.ts'

/**
 * Clicks a link to another page of the site, as a reader does.
 *
 * @param name text of the link; null = the link after that to this page, so that each page follows another one.
 * @return the text of the link, and the heading of the page before; null if there is no such link.
 */
export default function followLink(name: string | null): FollowedLink | null {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a[href], aside a[href], header a[href]')].filter(
    link => link.checkVisibility() && link.origin === location.origin && link.target === '' && !link.download,
  )
  const isOwn = (link: HTMLAnchorElement) => link.pathname === location.pathname
  const own = links.findIndex(isOwn)
  const others = [...links.slice(own + 1), ...links.slice(0, Math.max(0, own))]
  const link = others.find(each => !isOwn(each) && (name === null ? labelOf(each) !== '' : labelOf(each) === name))
  if (!link) return null
  const heading = readHeading()
  link.click()
  return { name: labelOf(link), heading }
}
