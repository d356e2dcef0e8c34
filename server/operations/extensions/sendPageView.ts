import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { countedStatus, toViewTarget } from '../../analytics/sent-view.ts'
import { writeCombinedLine } from '../../base/combined-line.ts'
import { maxViewsPerMinute } from '../../tenancy/view-limit.ts'
import type { Client } from '../client.ts'
import { unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

type PageViewDeps = Pick<ExtensionDeps, 'projects' | 'sites' | 'viewLimit' | 'visitsReceiver' | 'now'>

/** Counts the view as the line that an access log would have of it, so that both count by the same rules and once. */
export async function sendPageView(
  { params, query: { page, referrer }, headers }: Input<'sendPageView'>,
  deps: PageViewDeps,
  client: Client,
): Promise<Output<'sendPageView'>> {
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const given = headers as Readonly<Record<string, string | undefined>>
  const { origin = '' } = given
  // The mock runs on Node 20, which has no URL.parse.
  const host = URL.canParse(origin) ? new URL(origin).hostname : ''
  const site = await deps.sites.findOwned(client.organizationId, host)
  if (site?.projectId !== project.id) return { status: 403, body: toForeign(host || 'DOMAIN', project.id) }
  const waitSeconds = deps.viewLimit.take(client.ipAddress)
  if (waitSeconds > 0) return toRefusal(waitSeconds)
  const line = writeCombinedLine({
    req: {
      method: 'GET',
      url: toViewTarget(page),
      httpVersion: '1.1',
      headers: { referer: referrer, 'user-agent': given['user-agent'] },
    },
    client: client.ipAddress,
    status: countedStatus,
    sentBytes: 0,
    atMs: deps.now(),
  })
  await deps.visitsReceiver.receive(
    { target: { projectId: project.id }, settings: { format: 'combined' } },
    toBody(line),
  )
  return { status: 204, headers: { 'Access-Control-Allow-Origin': origin } }
}

async function* toBody(line: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(line)
}

function toForeign(domain: string, projectId: string) {
  const error = `Origin is not a registered site of this project. Register it: npx quire sites create ${domain} --project ${projectId}`
  return { error, code: 'origin_not_allowed' } as const
}

function toRefusal(seconds: number): Extract<Output<'sendPageView'>, { status: 429 }> {
  const error = `This address has sent ${maxViewsPerMinute} page views in a minute. Try again after ${seconds} seconds.`
  return { status: 429, headers: { 'Retry-After': String(seconds) }, body: { error, code: 'rate_limited' } }
}
