import type { Kind } from '../agents/agent-list.ts'
import type { Day } from '../day.ts'
import type { LogLine } from '../formats/log-format.ts'
import { toFileLabel, toReferralLabel } from '../labels.ts'
import { asLabel } from '../view-batch.ts'
import type { BatchBuilder } from './batch-builder.ts'
import { Referrals } from './referrals.ts'

/** The largest number of labels that one line adds: the rule of a program, and Markdown. */
export const maxLabels = 2

// Kept because the text and its hash would be computed for every view.
const fileLabels = new Map<string, Record<Kind, string>>()

/**
 * Adds the label of a view of a file for AI. The parameters are separate because an object would be allocated for every
 * view.
 */
export function addFileLabel(builder: BatchBuilder, visitor: number, day: Day, kind: Kind, file: string): void {
  let labels = fileLabels.get(file)
  if (!labels) {
    const [human, ai, neither] = [toFileLabel('human', file), toFileLabel('ai', file), toFileLabel('neither', file)]
    labels = { human, ai, neither }
    fileLabels.set(file, labels)
  }
  builder.add(visitor, labels[kind], day, asLabel)
}

/** Adds the label of people who came from the site of an AI assistant. */
export class ViewLabels {
  readonly #referrals = new Referrals()

  /** The parameters are separate because an object would be allocated for every view. */
  addReferral(builder: BatchBuilder, visitor: number, day: Day, path: string, line: LogLine): void {
    const found = this.#referrals.find(line)
    if (found) builder.add(visitor, toReferralLabel(found.site, path), day, asLabel)
  }
}
