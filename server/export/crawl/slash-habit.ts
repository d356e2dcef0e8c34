import type { Candidate } from './candidate.ts'

/** Whether a site sends `/guide` on to `/guide/`, as static hosts do that keep each page in a folder of its own. */
export interface SlashHabit {
  /** The first pages of a generation, to be visited before the others where there is something to learn from them. */
  probe<T>(batch: readonly T[]): readonly T[]
  /** What was asked for a page, and where it was found. */
  note(asked: URL, found: URL): void
  /** Ends a probe. Only between visits, so that what is asked does not depend on the order of the answers. */
  learn(): void
  /** Asks for the page where it will be found: it would be sent there otherwise, for a second request. */
  apply(candidate: Candidate): void
}

const probeSize = 8
/** So many pages tell the habit, if none of them speaks against it. */
const proof = 3

export function createSlashHabit(): SlashHabit {
  let sent = 0
  let stayed = 0
  let hasHabit = false
  return {
    probe: batch => (sent + stayed < proof && batch.length > probeSize ? batch.slice(0, probeSize) : []),
    note(asked, found) {
      if (!mayGetSlash(asked)) return
      if (found.pathname === `${asked.pathname}/`) sent += 1
      else if (found.pathname === asked.pathname) stayed += 1
    },
    learn() {
      hasHabit = sent >= proof && stayed === 0
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

/** Not a file, and nothing whose query may tell it from others. */
function mayGetSlash({ pathname, search }: URL): boolean {
  return search === '' && !pathname.endsWith('/') && !pathname.slice(pathname.lastIndexOf('/')).includes('.')
}
