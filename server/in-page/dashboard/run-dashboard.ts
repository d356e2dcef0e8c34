import { copyText } from '../copying/copy-text.ts'
import { chooseThemes } from './choose-theme.ts'
import { describeAge } from './describe-age.ts'
import { drawCharts } from './draw-charts.ts'
import { enableKeys } from './keyboard.ts'
import { loadSearchWhenAsked } from './load-search.ts'

/** Runs in each page of the dashboard. Everything also works without it, but for copying and the charts. */
export default function runDashboard(): void {
  rememberLiveParts()
  forgetNotice()
  writeLocalTimes(document)
  enableCopying(document)
  confirmForms()
  chooseThemes()
  drawCharts(document)
  enableKeys()
  loadSearchWhenAsked()
  runCountdowns()
  renewLiveParts(part => {
    writeLocalTimes(part)
    enableCopying(part)
    drawCharts(part)
  })
}

/**
 * Remembers the live parts as the server wrote them, before other scripts change them. A part that is still the same must not be
 * replaced, because screen readers would announce it again.
 */
function rememberLiveParts(): void {
  for (const part of document.querySelectorAll('[data-live]')) part.setAttribute('data-shown', part.outerHTML)
}

/** Takes what was done out of the address, so that a reload and a shared link do not say it again. */
function forgetNotice(): void {
  const url = new URL(location.href)
  if (!url.searchParams.has('done')) return
  url.searchParams.delete('done')
  history.replaceState(history.state, '', url)
}

/** Writes the instants of a page in the reader's time zone. Their titles keep UTC. */
function writeLocalTimes(root: ParentNode): void {
  const dateStyle = 'medium'
  const format = new Intl.DateTimeFormat(undefined, { dateStyle, timeStyle: 'short' })
  const withSeconds = new Intl.DateTimeFormat(undefined, { dateStyle, timeStyle: 'medium' })
  for (const element of root.querySelectorAll('time')) {
    const at = Date.parse(element.dateTime)
    if (Number.isNaN(at)) continue
    const local = element.hasAttribute('data-seconds') ? withSeconds : format
    if (element.hasAttribute('data-until')) element.textContent = countdown(at - Date.now())
    else if (!element.hasAttribute('data-ago')) element.textContent = local.format(at)
  }
}

const copiedShownMs = 2000

/** Shows the buttons that copy a text, and makes them work. */
function enableCopying(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      const label = button.textContent
      const text = button.dataset.copy ?? ''
      const shown = [...document.querySelectorAll('code')].find(each => each.textContent === text)
      button.textContent = (await copyText(text, shown)) ? 'Copied' : 'Press Ctrl-C'
      setTimeout(() => {
        button.textContent = label
      }, copiedShownMs)
    })
  }
}

/** Asks before a form is sent that deletes or revokes something. */
function confirmForms(): void {
  document.addEventListener('submit', event => {
    const question = event.target instanceof HTMLFormElement ? event.target.dataset.confirm : undefined
    if (question !== undefined && !confirm(question)) event.preventDefault()
  })
}

/** Keeps the countdowns of the page running, and its ages true. */
function runCountdowns(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-until]')) {
      const text = countdown(Date.parse(element.dateTime) - Date.now())
      if (element.textContent !== text) element.textContent = text
    }
  }, 1000)
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-ago]')) {
      const text = describeAge(Date.parse(element.dateTime) - Date.now())
      if (element.textContent !== text) element.textContent = text
    }
  }, 60_000)
}

/** Says how long it is until an instant. */
function countdown(ms: number): string {
  if (ms <= 0) return 'expired'
  const seconds = Math.floor(ms / 1000)
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours > 0) return `in ${hours} h ${minutes} min`
  return minutes > 0 ? `in ${minutes} min ${seconds % 60} s` : `in ${seconds} s`
}

/** How long to wait after an answer that failed. */
const renewalPauseMs = 10_000
/** How long to wait for an answer. */
const renewalTimeoutMs = 30_000

/**
 * How the renewal goes. `unreachable`: no answer, or none of the dashboard. `gone`: the page was deleted, or this person may no longer see it.
 * `ended`: the person was signed out.
 */
type Renewal = 'works' | 'unreachable' | 'gone' | 'ended'

/**
 * Renews the parts of the page that change by themselves: it reads the page again every `data-live` milliseconds and replaces what has
 * changed, as long as the new page has the part with `data-live`. It waits while the page is hidden, and while a person works inside
 * the part. If the page cannot be read, it says so and goes on trying. Parts that take longer are not asked for in each round: the
 * parameter `renew` of the address then names the others.
 *
 * @param onChange is called with each new part
 */
function renewLiveParts(onChange: (part: Element) => void, round = 1): void {
  const intervalOf = (part: Element) => Number(part.getAttribute('data-live'))
  const everyMs = Math.min(...listLiveParts().map(intervalOf))
  if (!Number.isFinite(everyMs) || everyMs <= 0) return
  const later = (ms: number) => setTimeout(() => void renew(), ms)

  async function renew(): Promise<void> {
    if (document.hidden) return void later(everyMs)
    const due = listLiveParts().filter(part => round % Math.round(intervalOf(part) / everyMs) === 0)
    const fresh = await readPage(due)
    showRenewal(typeof fresh === 'string' ? fresh : 'works')
    if (typeof fresh === 'string') return void later(renewalPauseMs)
    for (const part of due) replacePart(part, fresh, onChange)
    renewLiveParts(onChange, round + 1)
  }
  showRenewal('works')
  later(everyMs)
}

function listLiveParts(): Element[] {
  return [...document.querySelectorAll('[data-live]')]
}

/** Shows the sentences about this state of the renewal, and hides the others. */
function showRenewal(state: Renewal): void {
  for (const sentence of document.querySelectorAll<HTMLElement>('[data-renewal]')) {
    sentence.hidden = sentence.dataset.renewal !== state
  }
}

/** Reads these parts of the page again, or says why that is not possible. */
async function readPage(parts: readonly Element[]): Promise<Document | Exclude<Renewal, 'works'>> {
  const address = new URL(location.href)
  if (parts.length < listLiveParts().length) address.searchParams.set('renew', parts.map(({ id }) => id).join())
  try {
    const answer = await fetch(address, { cache: 'no-store', signal: AbortSignal.timeout(renewalTimeoutMs) })
    if (isSignIn(answer.url)) return 'ended'
    if (answer.status === 403 || answer.status === 404) return 'gone'
    if (!answer.ok) return 'unreachable'
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const isSamePage = parts.some(({ id }) => fresh.getElementById(id))
    // A proxy may answer a page of its own while the server is down.
    return isSamePage ? fresh : 'unreachable'
  } catch {
    return 'unreachable'
  }
}

/** Whether an answer came from the page to sign in, to which the server leads someone who was signed out. */
function isSignIn(address: string): boolean {
  const link = document.querySelector<HTMLAnchorElement>('[data-renewal="ended"] a')
  return link !== null && new URL(address).pathname === link.pathname
}

function replacePart(part: Element, fresh: Document, onChange: (part: Element) => void): void {
  const next = fresh.getElementById(part.id)
  if (!next || part.contains(document.activeElement) || next.outerHTML === part.getAttribute('data-shown')) return
  const shown = next.outerHTML
  next.setAttribute('data-shown', shown)
  part.replaceWith(next)
  onChange(next)
}
