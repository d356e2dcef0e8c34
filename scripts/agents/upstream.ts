import { readFile } from 'node:fs/promises'
import type { Upstream } from './extract.ts'

/** One state of the list upstream. */
export interface Snapshot {
  robots: Upstream
  commit: string
  /** `2026-08-22` */
  day: string
}

const repository = 'ai-robots-txt/ai.robots.txt'

/** The newest state of the list. */
export async function fetchSnapshot(fetcher: (url: string) => Promise<Response> = fetch): Promise<Snapshot> {
  const get = async (url: string): Promise<unknown> => {
    const answer = await fetcher(url)
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
    return answer.json()
  }
  const commits = await get(`https://api.github.com/repos/${repository}/commits?path=robots.json&per_page=1`)
  const [newest] = commits as { sha: string; commit: { committer: { date: string } } }[]
  if (!newest) throw new Error(`${repository} has no robots.json any more.`)
  const robots = await get(`https://raw.githubusercontent.com/${repository}/${newest.sha}/robots.json`)
  return checked({ robots: robots as Upstream, commit: newest.sha, day: newest.commit.committer.date.slice(0, 10) })
}

/** A state that someone brought along. */
export async function readSnapshot(file: string, commit: string, day: string): Promise<Snapshot> {
  return checked({ robots: JSON.parse(await readFile(file, 'utf8')), commit, day })
}

function checked(snapshot: Snapshot): Snapshot {
  if (!/^[0-9a-f]{40}$/.test(snapshot.commit)) throw new Error('A commit is 40 digits and letters from a to f.')
  if (!/^\d{4}-\d\d-\d\d$/.test(snapshot.day)) throw new Error('A date is like 2026-08-22.')
  return snapshot
}
