import { groupLabels } from '../../../server/analytics/counters/label-sets.ts'
import type { LogReaderOptions } from '../../../server/analytics/import/log-reader.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import { asAi, asHuman, asLabel, type ViewBatch } from '../../../server/analytics/view-batch.ts'
import { toKeyPeriod, type VisitorKeys } from '../../../server/analytics/visitor-keys.ts'

export interface ReadView {
  project: string
  path: string
  day: number
  /** 32 hexadecimal digits. */
  visitor: string
  mask: number
}

export const oneProject = { id: 'prj_1', visitorSaltRotation: 'never', visitorRules: 2 } as const

/** Keys that need no store: one without a rotation, otherwise one for each period. */
export const fixedKeys: VisitorKeys = {
  find: ({ visitorSaltRotation: rotation }, day) =>
    rotation === 'never' ? Buffer.alloc(32, 1) : Buffer.from(toKeyPeriod(day, rotation).name),
}

/** Reads a whole log with a project `prj_1`, unless the options say otherwise. */
export function readLog(log: Buffer | string, options: Partial<LogReaderOptions> = {}) {
  const now = Date.UTC(2026, 10, 20, 12)
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now, ...options })
  reader.push(Buffer.from(log))
  reader.endFile()
  const entries = takeEntries(reader)
  return { reader, tally: reader.tally, entries, views: entries.filter(isView) }
}

/** Takes the views without the labels. */
export function takeViews(reader: LogReader): ReadView[] {
  return takeEntries(reader).filter(isView)
}

/** Takes the views and the labels. */
export function takeEntries(reader: LogReader): ReadView[] {
  return reader
    .takeBatches()
    .flatMap(({ project, batch }) => [...toViews(batch, project.id).filter(isView), ...toLabels(batch, project.id)])
}

/** Returns the labels with the first 12 digits of their visitors. */
function toLabels(batch: ViewBatch, project: string): ReadView[] {
  return groupLabels(batch, 0).flatMap(({ day, sets }) =>
    [...sets].flatMap(([path, visitors]) =>
      Array.from(visitors, visitor => {
        return { project, path, day, visitor: visitor.toString(16).padStart(12, '0'), mask: asLabel }
      }),
    ),
  )
}

const isView = ({ mask }: ReadView) => mask !== asLabel

function toViews({ length, visitors, paths, visitorOf, pathOf, days, masks }: ViewBatch, project: string): ReadView[] {
  return Array.from({ length }, (_, i) => {
    const from = (visitorOf[i] as number) * 16
    return {
      project,
      path: paths[pathOf[i] as number] as string,
      day: days[i] as number,
      visitor: Buffer.from(visitors.subarray(from, from + 16)).toString('hex'),
      mask: (masks[i] as number) & (asHuman | asAi | asLabel),
    }
  })
}
