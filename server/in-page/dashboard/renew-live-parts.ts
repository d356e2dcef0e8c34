/** How long to wait after an answer that failed. */
const pauseMs = 10_000
/** How long to wait for an answer. */
const timeoutMs = 30_000

/**
 * How the renewal goes. `unreachable`: no answer, or none of the dashboard. `gone`: the page was deleted, or this person may no longer see it.
 * `ended`: the person was signed out.
 */
type Renewal = 'works' | 'unreachable' | 'gone' | 'ended'

/**
 * Remembers the live parts as the server wrote them, before other scripts change them. A part that is still the same must not be
 * replaced, because screen readers would announce it again.
 */
export function rememberLiveParts(): void {
  for (const part of document.querySelectorAll('[data-live]')) part.setAttribute('data-shown', part.outerHTML)
}

/**
 * Renews the parts of the page that change by themselves: it reads the page again every `data-live` milliseconds and replaces what has
 * changed, as long as the new page has the part with `data-live`. It waits while the page is hidden, and while a person works inside
 * the part. If the page cannot be read, it says so and goes on trying.
 *
 * @param onChange is called with each new part
 */
export function renewLiveParts(onChange: (part: Element) => void): void {
  const everyMs = Math.min(
    ...[...document.querySelectorAll('[data-live]')].map(part => Number(part.getAttribute('data-live'))),
  )
  if (!Number.isFinite(everyMs) || everyMs <= 0) return
  const later = (ms: number) => setTimeout(() => void renew(), ms)

  async function renew(): Promise<void> {
    if (document.hidden) return void later(everyMs)
    const fresh = await readPage()
    showRenewal(typeof fresh === 'string' ? fresh : 'works')
    if (typeof fresh === 'string') return void later(pauseMs)
    for (const part of document.querySelectorAll('[data-live]')) replacePart(part, fresh, onChange)
    renewLiveParts(onChange)
  }
  showRenewal('works')
  later(everyMs)
}

/** Shows the sentences about this state of the renewal, and hides the others. */
function showRenewal(state: Renewal): void {
  for (const sentence of document.querySelectorAll<HTMLElement>('[data-renewal]')) {
    sentence.hidden = sentence.dataset.renewal !== state
  }
}

/** Reads the page again, or says why that is not possible. */
async function readPage(): Promise<Document | Exclude<Renewal, 'works'>> {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    if (isSignIn(answer.url)) return 'ended'
    if (answer.status === 403 || answer.status === 404) return 'gone'
    if (!answer.ok) return 'unreachable'
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const isSamePage = [...document.querySelectorAll('[data-live]')].some(({ id }) => fresh.getElementById(id))
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
  const scrolled = [...part.querySelectorAll('.wide')].map(box => box.scrollLeft)
  part.replaceWith(next)
  for (const [at, box] of next.querySelectorAll('.wide').entries()) box.scrollLeft = scrolled[at] ?? 0
  onChange(next)
}
