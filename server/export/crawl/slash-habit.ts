import type { Candidate } from './candidate.ts'

/** Learns whether a site redirects `/guide` to `/guide/`. Static hosts with a separate folder for each page do this. */
export interface SlashHabit {
  /**
   * Returns the pages of a generation to visit first, to learn the habit. Returns none when the habit is known, or when it
   * would save few redirects.
   */
  probe(batch: readonly Candidate[]): readonly Candidate[]
  /** Records the URL requested for a page, and the URL where it was found. */
  note(asked: URL, found: URL): void
  /** Decides from the recorded URLs. Called between visits, to make requests independent of the order of the answers. */
  learn(): void
  /** Adds the spelling with a slash, to save the redirect. */
  apply(candidate: Candidate): void
}

const probeSize = 8
/** Min redirected pages that prove the habit, if no page was found without a slash. */
const minRedirects = 3

export function createSlashHabit(): SlashHabit {
  let redirected = 0
  let stayed = 0
  let hasHabit = false
  return {
    probe(batch) {
      if (redirected + stayed >= minRedirects) return []
      const plain = batch.filter(({ targets: [target = ''] }) => {
        const url = URL.parse(target)
        return url !== null && mayGetSlash(url)
      })
      return plain.length > probeSize ? plain.slice(0, probeSize) : []
    },
    note(asked, found) {
      if (!mayGetSlash(asked)) return
      if (found.pathname === `${asked.pathname}/`) redirected += 1
      else if (found.pathname === asked.pathname) stayed += 1
    },
    learn() {
      hasHabit = redirected >= minRedirects && stayed === 0
    },
    apply(candidate) {
      const url = hasHabit && candidate.tried === 0 ? URL.parse(candidate.targets[0] ?? '') : null
      if (!url || !mayGetSlash(url)) return
      url.pathname += '/'
      if (candidate.targets.includes(url.href)) return
      candidate.targets.unshift(url.href)
      candidate.votes.unshift(0)
      candidate.assumed = url.href
    },
  }
}

/** Decides whether a slash may be added. Returns false for files and for URLs with a query. */
function mayGetSlash({ pathname, search }: URL): boolean {
  return search === '' && !pathname.endsWith('/') && !pathname.slice(pathname.lastIndexOf('/')).includes('.')
}
