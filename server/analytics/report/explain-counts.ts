import type { CountingSettings } from '../../tenancy/project.ts'

/** Says what AI means in the counts of a project; '' = all agents, always. */
export function explainAi({ ai, aiSince }: Pick<CountingSettings, 'ai' | 'aiSince'>): string {
  if (ai === 'all' && aiSince === undefined) return ''
  const meaning =
    ai === 'all'
      ? 'AI counts all AI agents'
      : 'AI counts assistants, coding agents, and readers of Markdown that no list names'
  if (aiSince === undefined) return `${meaning}.`
  const since = new Date(aiSince).toISOString().slice(0, 16).replace('T', ' ')
  return `${meaning}, since ${since} UTC. Views that were counted before keep the other meaning until the visits are reset and the logs imported again.`
}

/** Says how many people loaded the page with a browser. The numbers are written as the reader sees numbers. */
export function explainLoaded(loaded: string, people: string): string {
  return `${loaded} of ${people} people had a browser that loaded the page: within 5 minutes, it also asked for a style sheet, script, font or picture of the site. This is a hint: caches answer many of these requests.`
}
