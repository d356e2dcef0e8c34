import type { Awaitable } from '../base/awaitable.ts'
import { dayMs } from '../base/day-ms.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { type Deliverer, deliveryTimes, startDeliverer } from '../webhooks/deliverer.ts'
import type { Parts } from './parts.ts'

/** Delivers the events in the queue of webhooks. */
export function startWebhooks({ config, dataFolder, store, log }: Parts): Deliverer {
  return startDeliverer({
    webhooks: store.webhooks,
    webhookDeliveries: store.webhookDeliveries,
    secrets: openSecretBox(dataFolder, config.webhookKeyFile),
    allowed: config.webhookAllowPrivate,
    ...deliveryTimes,
    now: Date.now,
    random: Math.random,
    log,
  })
}

/** Returns the beginning of the last day with a visit. Its end is unknown, so a day counts from there. */
export function createLastVisitFinder({ visits }: Parts['store']): (projectId: string) => Promise<number | undefined> {
  return async projectId => {
    const days = await visits.findVisitedDays(projectId)
    return days && days.last * dayMs
  }
}

/** Calls `wake` after each change of this process that may have added an event to the queue, so that nobody waits for the next poll. */
export function wakeAfterChanges(parts: Parts, wake: () => void): Parts {
  const { exportJobs, agentJobs, webhookDeliveries, atomically } = parts.store
  const waking =
    <Given extends unknown[], Result>(change: (...given: Given) => Awaitable<Result>) =>
    async (...given: Given) => {
      const result = await change(...given)
      wake()
      return result
    }
  const store = {
    ...parts.store,
    exportJobs: {
      ...exportJobs,
      complete: waking(exportJobs.complete),
      fail: waking(exportJobs.fail),
      cancel: waking(exportJobs.cancel),
    },
    agentJobs: { ...agentJobs, archiveOlderThan: waking(agentJobs.archiveOlderThan), update: waking(agentJobs.update) },
    webhookDeliveries: { ...webhookDeliveries, enqueueTest: waking(webhookDeliveries.enqueueTest) },
    // Its changes are unknown here; looking costs less than asking.
    atomically: waking(atomically) as typeof atomically,
  }
  return { ...parts, store }
}
