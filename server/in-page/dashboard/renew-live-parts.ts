/** How long to wait after an answer that failed. */
const pauseMs = 10_000

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
 * the part.
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
    if (fresh === undefined) return void later(pauseMs)
    for (const part of document.querySelectorAll('[data-live]')) replacePart(part, fresh, onChange)
    renewLiveParts(onChange)
  }
  later(everyMs)
}

/** Reads the page again; undefined if the server does not answer. Someone who was signed out sees the page to sign in. */
async function readPage(): Promise<Document | undefined> {
  try {
    const answer = await fetch(location.href, { cache: 'no-store' })
    if (answer.redirected) location.reload()
    if (!answer.ok) return undefined
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  } catch {
    return undefined
  }
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
