import { type Percentiles, toPercentiles } from '../visitors/percentiles.ts'
import type { ServedDashboard } from './served-dashboard.ts'

export interface PageFigures extends Percentiles {
  page: string
  /** The first request for the page. */
  firstMs: number
  bytes: number
}

/** Requests each page in turn, `rounds` times, as a signed-in browser does. */
export async function measurePages(
  dashboard: ServedDashboard,
  projectId: string,
  rounds: number,
): Promise<PageFigures[]> {
  const { cookie, home } = await signIn(dashboard)
  const visitors = `visitors?project=${projectId}`
  const paths = {
    overview: '',
    keys: 'keys',
    'visitors, 30 days': `${visitors}&range=custom&from=2026-09-06&to=2026-10-05`,
    'visitors, a year': `${visitors}&range=custom&from=2025-10-06&to=2026-10-05`,
    'visitors, all': `${visitors}&range=all`,
    'visitors, all, found and sorted': `${visitors}&range=all&find=1&sort=ai`,
    exports: 'exports',
    'agent jobs': 'agent-jobs',
    people: 'people',
    'audit log': 'audit',
  }
  const times = new Map(Object.keys(paths).map(page => [page, [] as number[]]))
  const sizes = new Map<string, number>()
  for (let round = 0; round <= rounds; round++) {
    for (const [page, path] of Object.entries(paths)) {
      const startedAt = performance.now()
      const answer = await fetch(home + path, { headers: { Cookie: cookie } })
      const { byteLength } = await answer.arrayBuffer()
      times.get(page)?.push(performance.now() - startedAt)
      sizes.set(page, byteLength)
      if (answer.status !== 200 || answer.redirected)
        throw new Error(`The page ${page} was answered by ${answer.status}.`)
    }
  }
  return [...times].map(([page, [firstMs = 0, ...later]]) => ({
    page,
    firstMs,
    ...toPercentiles(later),
    bytes: sizes.get(page) ?? 0,
  }))
}

async function signIn({ url, createLink }: ServedDashboard): Promise<{ cookie: string; home: string }> {
  const token = new URL(await createLink()).searchParams.get('token') ?? ''
  const headers = { 'Sec-Fetch-Site': 'same-origin' }
  const options = { method: 'POST', body: new URLSearchParams({ token }), headers, redirect: 'manual' } as const
  const answer = await fetch(`${url}/dashboard/sign-in`, options)
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const first = await fetch(`${url}/dashboard/`, { headers: { Cookie: cookie }, redirect: 'manual' })
  return { cookie, home: new URL(first.headers.get('location') ?? '', `${url}/dashboard/`).href }
}
