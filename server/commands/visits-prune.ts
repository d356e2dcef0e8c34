import { Command, Option } from 'commander'
import { formatDay, toDay } from '../analytics/day.ts'
import { integer } from '../flags/integer.ts'
import { dataOption, jsonOption, projectOption } from '../flags/options.ts'
import { getProject } from '../tenancy/get-project.ts'
import { printJson, showCount } from './print.ts'
import { withExistingStore } from './with-store.ts'

interface Flags {
  project: string
  keepDays: number
  data: string
  json?: boolean
}

export function visitsPruneCommand(): Command {
  return new Command('prune')
    .description('forget who saw what before the last days; what was counted stays')
    .addOption(projectOption().makeOptionMandatory())
    .addOption(
      new Option('--keep-days <number>', 'days up to today that stay as they are')
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
  quire visits prune --project prj_0f3c9a1b2d4e5f60 --keep-days 400
  quire serve --visitor-retention-days 400

The keyed hashes of visitors are deleted with the days they were seen on; the counters stay. Ranges that begin on a day that
is kept, or end before it, stay exact. A range that begins earlier and ends later counts those twice who came both before
and since. Views of forgotten days in logs that are imported later are left out, since nobody knows whether they are
counted already.`,
    )
    .action(async ({ project: id, keepDays, data, json }: Flags) => {
      const before = toDay(Date.now()) - keepDays
      const visitorDays = await withExistingStore(data, async store => {
        await getProject(store, id)
        return store.visits.pruneSeen(id, before)
      })
      const keptFrom = formatDay(before)
      if (json) printJson({ project: id, keptFrom, visitorDays })
      else console.log(`Forgot ${showCount(visitorDays)} days of visitors before ${keptFrom}.`)
    })
}
