import { Command, Option } from 'commander'
import { formatDay, toDay } from '../analytics/day.ts'
import { integer } from '../flags/integer.ts'
import { dataOption, jsonOption, projectOption } from '../flags/options.ts'
import { getProject } from '../tenancy/get-project.ts'
import { printResult, showCount } from './print.ts'
import { withExistingStore } from './with-store.ts'

interface Flags {
  project: string
  keepDays: number
  data: string
  json?: boolean
}

export function visitsPruneCommand(): Command {
  return new Command('prune')
    .description('delete the hashes of old visitors; counts stay')
    .addOption(projectOption().makeOptionMandatory())
    .addOption(
      new Option('--keep-days <number>', 'number of past days whose visitors are kept')
        .env('QUIRE_VISITOR_RETENTION_DAYS')
        .argParser(integer(1, 36_500))
        .makeOptionMandatory(),
    )
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits prune --project Documentation --keep-days 400
  npx quire serve --visitor-retention-days 400

The keyed hashes of visitors of the pruned days are removed; the counters stay. Ranges that begin on a kept day, or end
before the first kept day, stay exact. A range that spans the cut counts a visitor twice if they came on both sides of it.
If you import a log later, its views on pruned days are skipped, because they may already be counted.`,
    )
    .action(async ({ project: idOrName, keepDays, data, json }: Flags) => {
      const before = toDay(Date.now()) - keepDays
      const keptFrom = formatDay(before)
      const result = await withExistingStore(data, async store => {
        const project = await getProject(store, idOrName)
        return { project: project.id, keptFrom, visitorDays: await store.visits.pruneSeen(project.id, before) }
      })
      printResult(json, result, `Deleted ${showCount(result.visitorDays)} visitor days before ${keptFrom}.`)
    })
}
