import findSearch from './find-search.ts'
import isTakenOver from './is-taken-over.ts'
import readHeadingText from './read-heading-text.ts'
import readLinks from './read-links.ts'
import readVisibleText from './read-visible-text.ts'
import type { SeenPage } from './seen-page.ts'

/** Reads a page in one call, because each call waits for the page. */
export default function readSeen(wantsLinks: boolean): SeenPage {
  return {
    text: readVisibleText(),
    headingText: readHeadingText(),
    isTakenOver: isTakenOver(),
    hasSearch: findSearch('any') !== null,
    links: wantsLinks ? readLinks() : [],
  }
}
