import type { ElementHandle, Page } from 'puppeteer'
import { settle } from './visitor.ts'

const controls = 'button, [role=button], [role=switch], summary, label, select, input[type=checkbox]'
const maxControls = 8
/** A button with the states system, light and dark may need two clicks until the colours change. */
const maxPresses = 3

/**
 * Presses what looks like a theme button until the colours of the page change.
 *
 * @return whether they changed; undefined if the page shows no such button
 */
export async function pressTheme(page: Page, selector?: string): Promise<boolean | undefined> {
  const found = selector === undefined ? await findControls(page) : await page.$$(selector)
  if (found.length === 0) return undefined
  for (const control of found) {
    for (let times = 0; times < maxPresses; times += 1) {
      const before = await page.evaluate(readColours)
      await press(control)
      await settle(page)
      if ((await page.evaluate(readColours)) !== before) return true
      // A list of themes may have opened.
      await page.evaluate(chooseDark)
      await settle(page)
      if ((await page.evaluate(readColours)) !== before) return true
    }
  }
  return false
}

/** Clicks as a reader does. A control that something covers is clicked by script. */
async function press(control: ElementHandle<Element>): Promise<void> {
  const isList = await control.evaluate(element => element instanceof HTMLSelectElement)
  if (isList) await control.evaluate(chooseNext)
  else await control.click().catch(() => control.evaluate(element => (element as HTMLElement).click()))
}

async function findControls(page: Page): Promise<ElementHandle<Element>[]> {
  const found: ElementHandle<Element>[] = []
  for (const handle of await page.$$(controls)) {
    if (found.length < maxControls && (await handle.evaluate(isThemeControl))) found.push(handle)
  }
  return found
}

// The functions below run inside a page, so each must be self-contained.

function isThemeControl(control: Element): boolean {
  if (control.getClientRects().length === 0) return false
  const name = (element: Element | null) =>
    element
      ? ['aria-label', 'title', 'class', 'id', 'name', 'value', 'data-theme-toggle']
          .map(attribute => element.getAttribute(attribute) ?? '')
          .concat(element.localName)
          .join(' ')
      : ''
  const text = (control.textContent ?? '').trim()
  const names = [name(control), name(control.parentElement), text.length < 30 ? text : '']
  return names.some(it => /theme|\bdark|\blight\b|colou?r-?(mode|scheme)|appearance|dark-?mode/i.test(it))
}

/** Selects the dark theme of a list, or the next option. */
function chooseNext(list: Element): void {
  if (!(list instanceof HTMLSelectElement)) return
  const dark = [...list.options].findIndex(option => /dark|night/i.test(option.value + option.text))
  list.selectedIndex = dark >= 0 && dark !== list.selectedIndex ? dark : (list.selectedIndex + 1) % list.options.length
  list.dispatchEvent(new Event('input', { bubbles: true }))
  list.dispatchEvent(new Event('change', { bubbles: true }))
}

function chooseDark(): void {
  const items = document.querySelectorAll<HTMLElement>('[role=option], [role^=menuitem], [role=radio], button, li')
  const dark = [...items].find(
    item => item.getClientRects().length > 0 && /^(dark|night|coal|navy|ayu)$/i.test((item.textContent ?? '').trim()),
  )
  dark?.click()
}

function readColours(): string {
  const parts = [document.documentElement, document.body, document.querySelector('main, article, [role=main], h1')]
  return parts
    .map(part => {
      if (!part) return ''
      const { color, backgroundColor } = getComputedStyle(part)
      return `${color} ${backgroundColor}`
    })
    .join(' | ')
}
