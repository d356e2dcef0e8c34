import { Command } from 'commander'
import { formatDay, toDay } from '../analytics/day.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { shared, storeSettings } from '../flags/shared-settings.ts'
import { getProject } from '../tenancy/get-project.ts'
import { printResult, showCountOf } from './print.ts'
import { withExistingStore } from './with-store.ts'

const settings = {
  project: { ...shared.project, mandatory: true },
  keepDays: {
    flag: '--keep-days <number>',
    env: 'QUIRE_VISITOR_RETENTION_DAYS',
    what: 'number of past days whose visitors are kept (default: all)',
    read: integer(1, 36_500),
  },
  visitorKeyGraceDays: shared.visitorKeyGraceDays,
  ...storeSettings,
} as const satisfies Settings

type Flags = FlagsOf<typeof settings>

export function visitsPruneCommand(): Command {
  const command = new Command('prune').description(
    'delete the hashes of old visitors, and destroy the visitor keys of ended periods; counts stay',
  )
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits prune --project Documentation --keep-days 400
  npx quire visits prune --project Documentation
  npx quire serve --visitor-retention-days 400

The keyed hashes of visitors of the pruned days are removed; the counters stay. Ranges that begin on a kept day, or end
before the first kept day, stay exact. A range that spans the cut counts a visitor twice if they came on both sides of it.
If you import a log later, its views on pruned days are skipped, because they may already be counted.

If the visitor key of the project changes each month or day, the keys of ended periods are destroyed together with their
hashes. Log lines of these periods are skipped from then on, so import them before. Without --keep-days, nothing else is
removed. A server does the same by itself.`,
    )
    .action(async ({ project: idOrName, keepDays, visitorKeyGraceDays: graceDays, json, ...flags }: Flags) => {
      const now = Date.now()
      const before = keepDays === undefined ? undefined : toDay(now) - keepDays
      const keptFrom = before === undefined ? null : formatDay(before)
      const result = await withExistingStore(flags, async store => {
        const project = await getProject(store, idOrName)
        const destroyed = await store.visits.destroyKeys(project, { now, graceDays })
        const visitorDays = before === undefined ? 0 : await store.visits.pruneSeen(project.id, before)
        return { project: project.id, keptFrom, visitorDays, destroyedKeys: destroyed.keys }
      })
      const { visitorDays, destroyedKeys } = result
      const deleted =
        keptFrom === null ? [] : [`Deleted ${showCountOf(visitorDays, 'visitor day')} before ${keptFrom}.`]
      const isKeyNamed = destroyedKeys > 0 || keptFrom === null
      const destroyed = isKeyNamed ? [`Destroyed ${showCountOf(destroyedKeys, 'visitor key')}.`] : []
      printResult(json, result, [...deleted, ...destroyed].join(' '))
    })
}
