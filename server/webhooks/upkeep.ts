import type { Awaitable } from '../base/awaitable.ts'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { dayMs } from '../base/day-ms.ts'
import type { Exclusively } from '../base/exclusively.ts'
import { repeat } from '../base/timer.ts'
import type { WebhookDeliveries, Webhooks } from './webhook.ts'

const everyMs = 60 * 60 * 1000
const keptMs = 30 * dayMs
const batch = 1000
const expiringMs = 7 * dayMs
/** Visits are counted by days: after this time, a whole day had none. */
const laggingMs = 2 * dayMs
/** A project that had no visit for so long does not lag: nobody counts its visits any more. */
const forgottenMs = 25 * dayMs

export interface UpkeepDeps {
  webhookDeliveries: Pick<WebhookDeliveries, 'enqueueExpiringKeys' | 'enqueueLagging' | 'deleteEnded'>
  webhooks: Pick<Webhooks, 'list'>
  projects: { list(organizationId: string): Awaitable<{ id: string }[]> }
  /** Returns the beginning of the last day with a visit; undefined = the project has no visits. */
  findLastVisit(projectId: string): Promise<number | undefined>
  clock: ClockCheck
  exclusively: Exclusively
  now(): number
  /** Called when deliveries were added to the queue. */
  wake(): void
  log: Record<'info' | 'error', (details: object, message: string) => void>
}

/** Adds the events that only time brings, and deletes old deliveries, now and every hour. */
export function startUpkeep(deps: UpkeepDeps): Stoppable {
  return repeat(everyMs, async () => deps.exclusively('webhook upkeep', () => keepUp(deps)), {
    startsNow: true,
    onError: err =>
      deps.log.error({ err }, 'could not look for events for webhooks; the next attempt follows in an hour'),
  })
}

/** What `startUpkeep` does each time. */
export async function keepUp(deps: Omit<UpkeepDeps, 'exclusively'>): Promise<void> {
  const { webhookDeliveries, clock, now, wake, log } = deps
  if (!(await clock.isTrusted())) return
  const expiring = await webhookDeliveries.enqueueExpiringKeys(now(), now() + expiringMs)
  if ((await enqueueLagging(deps)) + expiring > 0) wake()
  let deleted = 0
  for (let ended = batch; ended === batch; deleted += ended)
    ended = await webhookDeliveries.deleteEnded(now() - keptMs, batch)
  if (deleted > 0) log.info({ deleted }, 'deleted webhook deliveries that ended a month ago')
}

/** Looks only at the projects of organizations that want to know. */
async function enqueueLagging(deps: Omit<UpkeepDeps, 'exclusively'>): Promise<number> {
  const { webhookDeliveries, webhooks, projects, findLastVisit, now } = deps
  const subscribed = (await webhooks.list()).filter(({ events }) => events.includes('visits.lagging'))
  let added = 0
  for (const organizationId of new Set(subscribed.map(webhook => webhook.organizationId))) {
    for (const { id } of await projects.list(organizationId)) {
      const lastVisitAt = await findLastVisit(id)
      const ageMs = now() - (lastVisitAt ?? now())
      if (lastVisitAt === undefined || ageMs < laggingMs || ageMs >= forgottenMs) continue
      added += await webhookDeliveries.enqueueLagging(id, lastVisitAt, now())
    }
  }
  return added
}
