import { enableThemes } from './choose-theme.ts'
import { addCopyButtons } from './copy-buttons.ts'
import { enableFilter } from './filter-list.ts'
import { foldSections } from './fold-sections.ts'
import { writeOwnAddress } from './own-server.ts'
import { enableTabs } from './tabs.ts'
import { enableTrying } from './try-request.ts'

/** Runs in each page of the documentation. All texts can also be read without it. */
export default function runDocs(): void {
  writeOwnAddress()
  enableThemes()
  addCopyButtons(document)
  enableTabs()
  enableFilter()
  enableTrying()
  foldSections()
  showPlace()
}

/** Scrolls the navigation to the current page, without scrolling the window. */
function showPlace(): void {
  const list = document.querySelector('.side > ul')
  const current = list?.querySelector<HTMLElement>('[aria-current]')
  if (list && current) list.scrollTop = current.offsetTop - list.clientHeight / 2
}
