import type { Day } from './day.ts'

/** Bits of `ViewBatch.masks`. */
export const asHuman = 1
export const asAi = 2
/** The mask of a label, which stands in the place of a path and is not a page view. See `labels.ts`. */
export const asLabel = 4
/** Added to the mask of a view that was read as Markdown. */
export const asHumanMarkdown = 8
export const asAiMarkdown = 16

/**
 * Page views in columns, one entry per view. Columns are used because millions of objects would cost more than the rest
 * of an import. Each visitor and each path is stored once, and the columns contain its index.
 */
export interface ViewBatch {
  length: number
  /** 16 bytes for each distinct visitor, see `VisitorHash`. */
  visitors: Uint8Array
  /** The label of each visitor whose views count as AI; undefined = none, or not known. */
  agents?: readonly (string | undefined)[]
  /** Canonical paths without repetitions, see `toPage`; and labels. */
  paths: readonly string[]
  /** Index of the visitor in `visitors`. */
  visitorOf: Uint32Array
  /** Index into `paths`. */
  pathOf: Uint32Array
  /** UTC days, see `Day`. */
  days: Int32Array
  /** `asHuman`, `asAi`, or both, and whether as Markdown; `asLabel` for a label. */
  masks: Uint8Array
}

/** Returns a batch without the views of some days. */
export function dropDays(batch: ViewBatch, isDropped: (day: Day) => boolean): ViewBatch {
  const { visitorOf, pathOf, days, masks } = batch
  const kept = Uint32Array.from(days.subarray(0, batch.length).keys()).filter(i => !isDropped(days[i] as number))
  return {
    ...batch,
    length: kept.length,
    visitorOf: kept.map(i => visitorOf[i] as number),
    pathOf: kept.map(i => pathOf[i] as number),
    days: Int32Array.from(kept, i => days[i] as number),
    masks: Uint8Array.from(kept, i => masks[i] as number),
  }
}

/** Converts views to columns. Use it only for a few views; an import builds its batches without objects. */
export function toViewBatch(views: readonly PageView[]): ViewBatch {
  const visitors = new Map<string, number>()
  const paths = new Map<string, number>()
  const batch = {
    length: views.length,
    visitorOf: new Uint32Array(views.length),
    pathOf: new Uint32Array(views.length),
    days: Int32Array.from(views, ({ day }) => day),
    masks: Uint8Array.from(views, ({ kind }) => maskOf[kind]),
  }
  for (const [i, { visitor, path }] of views.entries()) {
    batch.visitorOf[i] = intern(visitors, Buffer.from(visitor).toString('hex'))
    batch.pathOf[i] = intern(paths, path)
  }
  return { ...batch, visitors: Buffer.from([...visitors.keys()].join(''), 'hex'), paths: [...paths.keys()] }
}

function intern(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name)
  if (known !== undefined) return known
  numbers.set(name, numbers.size)
  return numbers.size - 1
}

const maskOf = { human: asHuman, ai: asAi, label: asLabel }

/** One view of one page, or a label of one visitor. */
export interface PageView {
  /** Canonical, see `toPage`; or the label. */
  path: string
  day: Day
  /** 16 bytes, see `VisitorHash`. */
  visitor: Uint8Array
  kind: 'human' | 'ai' | 'label'
}
