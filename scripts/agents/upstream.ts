import { readFile } from 'node:fs/promises'
import type { Upstream } from './extract.ts'

/** One version of the upstream list. */
export interface Snapshot {
  robots: Upstream
  /** A commit, or a package that contains the list, such as `astro-ai-robots-txt 0.1.5`. */
  release: string
  /** Date such as `2026-08-22`. */
  day: string
}

const repository = 'ai-robots-txt/ai.robots.txt'

/** Fetches the newest version of the list. */
export async function fetchSnapshot(fetcher: (url: string) => Promise<Response> = fetch): Promise<Snapshot> {
  const get = async (url: string): Promise<unknown> => {
    const answer = await fetcher(url)
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
    return answer.json()
  }
  const commits = await get(`https://api.github.com/repos/${repository}/commits?path=robots.json&per_page=1`)
  const [newest] = commits as { sha: string; commit: { committer: { date: string } } }[]
  if (!newest) throw new Error(`${repository} no longer has a robots.json.`)
  const robots = await get(`https://raw.githubusercontent.com/${repository}/${newest.sha}/robots.json`)
  return checked({ robots: robots as Upstream, release: newest.sha, day: newest.commit.committer.date.slice(0, 10) })
}

/** Reads a version of the list from a file: robots.json, or the robots.txt generated from it. */
export async function readSnapshot(file: string, release: string, day: string): Promise<Snapshot> {
  const text = await readFile(file, 'utf8')
  return checked({ robots: text.trimStart().startsWith('{') ? JSON.parse(text) : readRobotsTxt(text), release, day })
}

/** Reads the names only: robots.txt has no operators. */
function readRobotsTxt(text: string): Upstream {
  return Object.fromEntries(
    Array.from(text.matchAll(/^user-agent:[ \t]*(.+?)[ \t\r]*$/gim), ([, name = '']) => [name, {}]),
  )
}

function checked(snapshot: Snapshot): Snapshot {
  if (!/^[\w@/. -]{1,80}$/.test(snapshot.release))
    throw new Error('--release must be a commit, or a package and its version.')
  if (!/^\d{4}-\d\d-\d\d$/.test(snapshot.day)) throw new Error('--date must have the form 2026-08-22.')
  return snapshot
}
