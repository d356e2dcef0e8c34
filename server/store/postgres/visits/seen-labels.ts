import type { AgentPageCounter } from '../../../analytics/counters/agent-pages.ts'
import {
  LabelCounter,
  type LabelledDay,
  type VisitorSet,
  VisitorUnion,
} from '../../../analytics/counters/label-sets.ts'
import type { DaySpan } from '../../../analytics/counters/range-plan.ts'
import type { Day } from '../../../analytics/day.ts'
import { FailureBounds } from '../../../analytics/failed-pages.ts'
import { type ChosenLabels, chooseLabels } from '../../../analytics/report/choose-labels.ts'
import type { LabelChoice } from '../../../analytics/visit-filter.ts'
import { divide } from '../../../base/divide.ts'
import {
  addAgents,
  addToRow,
  boundFailures,
  countReaders,
  countRow,
  type LabelRow,
  listVisitors,
} from '../../label-row.ts'
import { type FoundDays, toDays } from '../../visits/visited-days.ts'
import type { Database } from '../database.ts'
import { toByteas, toIntegers } from './binary-arrays.ts'
import { slowly } from './slowly.ts'

const daysPerStatement = 16

const listLabels = slowly<{ project: number }, { number: number; label: string }>(
  'SELECT number, label FROM labels WHERE project_key = @project',
)
const insertLabels = slowly<{ project: number; numbers: Buffer; labels: readonly string[] }>(
  `INSERT INTO labels (project_key, number, label)
   SELECT @project, * FROM unnest(@numbers::integer[], @labels::text[])`,
)
const list = slowly<{ project: number; days: readonly Day[] }, LabelRow & { day: Day }>(
  'SELECT day, counts, visitors FROM seen_labels WHERE project_key = @project AND day = ANY(@days::integer[])',
)
const listDays = slowly<{ project: number } & DaySpan, { day: Day }>(
  'SELECT day FROM seen_labels WHERE project_key = @project AND day >= @from AND day < @to ORDER BY day',
)
const upsert = slowly<{ project: number; days: Buffer; counts: Buffer; visitors: Buffer }>(
  `INSERT INTO seen_labels (project_key, day, counts, visitors)
   SELECT @project, * FROM unnest(@days::integer[], @counts::bytea[], @visitors::bytea[])
   ON CONFLICT (project_key, day) DO UPDATE SET counts = excluded.counts, visitors = excluded.visitors`,
)
const findVisited = slowly<{ project: number }, FoundDays>(
  'SELECT min(day) AS first, max(day) AS last FROM seen_labels WHERE project_key = @project',
)
const forget = slowly<{ project: number; before: Day }>(
  'UPDATE seen_labels SET visitors = NULL WHERE project_key = @project AND day < @before AND visitors IS NOT NULL',
)

/** Adds visitors of days that were not pruned. */
export async function addLabels(within: Database, project: number, days: readonly LabelledDay[]): Promise<void> {
  if (days.length === 0) return
  const stored = await within.all(listLabels, { project })
  const numbers = new Map(stored.map(({ number, label }) => [label, number]))
  const bounds = new FailureBounds()
  bounds.add(stored)
  for (const part of divide(days, daysPerStatement)) {
    const rows = await within.all(list, { project, days: part.map(({ day }) => day) })
    const known = new Map(rows.map(({ day, ...row }) => [day, row]))
    const bounded = part.map(({ day, sets }) => ({ day, sets: boundFailures(known.get(day), sets, bounds) }))
    bounds.add(await addNumbers(within, project, bounded, numbers))
    const changed = bounded.flatMap(({ day, sets }) => {
      const row = addToRow(known.get(day), sets, label => numbers.get(label) as number)
      return row ? [{ day, ...row }] : []
    })
    if (changed.length === 0) continue
    await within.run(upsert, {
      project,
      days: toIntegers(changed.map(({ day }) => day)),
      counts: toByteas(changed.map(({ counts }) => counts)),
      visitors: toByteas(changed.map(({ visitors }) => visitors)),
    })
  }
}

/** Gives new labels the next numbers, and returns them. */
async function addNumbers(
  within: Database,
  project: number,
  days: readonly LabelledDay[],
  numbers: Map<string, number>,
): Promise<{ label: string; number: number }[]> {
  const added = new Set(days.flatMap(({ sets }) => [...sets.keys()].filter(label => !numbers.has(label))))
  if (added.size === 0) return []
  const first = 1 + [...numbers.values()].reduce((max, number) => Math.max(max, number), 0)
  const labels = [...added]
  await within.run(insertLabels, { project, numbers: toIntegers(labels.map((_, i) => first + i)), labels })
  for (const [i, label] of labels.entries()) numbers.set(label, first + i)
  return labels.map((label, i) => ({ label, number: first + i }))
}

/** Deletes the visitors of the days before `before`, and keeps their number on each day. */
export async function forgetLabels(within: Database, project: number, before: Day): Promise<void> {
  await within.run(forget, { project, before })
}

/** Returns the first and the last day with labels; undefined if there are none. */
export async function findLabelledDays(within: Database, project: number) {
  return toDays(await within.get(findVisited, { project }))
}

/** Chooses labels of a project, see `chooseLabels`. */
export async function readChosenLabels(within: Database, project: number, choice?: LabelChoice): Promise<ChosenLabels> {
  const labels = await within.all(listLabels, { project })
  return chooseLabels(new Map(labels.map(({ number, label }) => [number, label])), choice)
}

/** Days of a project, and its labels that count. */
export interface LabelQuestion {
  project: number
  span: DaySpan
  chosen: ChosenLabels
}

/** Counts the visitors of each label in a range. With `readersOf`, only those visitors of agents count, see `PageReaders`. */
export async function countLabels(
  within: Database,
  question: LabelQuestion,
  readersOf?: ReadonlyMap<Day, ReadonlySet<number>>,
): Promise<Map<string, number>> {
  const counter = new LabelCounter()
  for await (const row of readRows(within, question)) {
    countRow(counter, row, question.chosen)
    if (readersOf) countReaders(counter, row, question.chosen, readersOf)
  }
  return counter.count()
}

/** Lists the visitors of the agents in a range. */
export async function listAgentVisitors(within: Database, question: LabelQuestion): Promise<VisitorSet> {
  const union = new VisitorUnion()
  for await (const row of readRows(within, question)) union.add(listVisitors(row, question.chosen))
  return union.finish()
}

/** Adds the visitors of the agents in a range. */
export async function addAgentLabels(counter: AgentPageCounter, within: Database, question: LabelQuestion) {
  for await (const row of readRows(within, question)) addAgents(counter, row, question.chosen)
}

async function* readRows(
  within: Database,
  { project, span: { from, to } }: LabelQuestion,
): AsyncGenerator<LabelRow & { day: Day }> {
  const found = (await within.all(listDays, { project, from, to })).map(({ day }) => day)
  for (const days of divide(found, daysPerStatement)) yield* await within.all(list, { project, days })
}
