import { ExportError } from '../model/export-error.ts'
import type { Difference, PlaceName, TextLoss } from '../model/report.ts'

/** Max share of its words that a page may lose in a place. Words of headings that the page still shows do not count. */
export const maxLostShare = 0.1
/** A page that loses no more words than this is in the report, but no export fails because of it. */
const fewWords = 3

const where: Record<PlaceName, string> = {
  root: 'at the root of a host',
  folder: 'in a folder of a host',
  file: 'when it is opened from file://',
}

type Lossy = Difference & { loss: TextLoss }

/**
 * Returns a sentence about the text that the checked pages lose; none when they show all of it.
 *
 * @throws {ExportError} when a page loses more than a tenth of its words in a place and this is not allowed.
 */
export function noteTextLoss(differences: readonly Difference[], allowLoss: boolean): string[] {
  const lossy = differences.filter(isLossy).sort((a, b) => shareOf(b.loss) - shareOf(a.loss))
  const serious = lossy.filter(isSerious)
  const [first] = lossy
  const [worst] = serious.sort((a, b) => seriousShareOf(b.loss) - seriousShareOf(a.loss))
  if (worst && !allowLoss) {
    const message = `${describe(worst)}${describeOthers(serious, worst)}; to make the bundle all the same, pass --allow-loss or set QUIRE_ALLOW_LOSS=1.`
    throw new ExportError(message, 'text_lost')
  }
  return first ? [`Lost text: ${describe(worst ?? first)}${describeOthers(lossy, worst ?? first)}.`] : []
}

/**
 * Returns a sentence about pages that differ although their group does not; none if there are none. More pages than the opened ones
 * may have the fault.
 *
 * @throws {ExportError} when there are such pages and this is not allowed.
 */
export function noteLeftFaults(faults: readonly Difference[], allowLoss: boolean): string[] {
  const [first] = faults
  if (!first) return []
  const message = `Pages like ${first.page} have faults that opening them did not mend: ${first.what}, ${where[first.place]}`
  if (allowLoss) return [`${message}.`]
  throw new ExportError(
    `${message}; to open all pages, pass --verify full; to make the bundle all the same, pass --allow-loss or set QUIRE_ALLOW_LOSS=1.`,
    'text_lost',
  )
}

/** Decides whether an export fails because of the text that a page loses. */
export function isSerious({ loss }: Difference): boolean {
  return loss !== undefined && loss.words - loss.repeated > Math.max(fewWords, loss.of * maxLostShare)
}

function isLossy(difference: Difference): difference is Lossy {
  return difference.loss !== undefined
}

const shareOf = ({ words, of }: TextLoss) => words / of
const seriousShareOf = ({ words, repeated, of }: TextLoss) => (words - repeated) / of

function describe({ page, place, loss }: Lossy): string {
  const percent = Math.max(1, Math.round(shareOf(loss) * 100))
  return `${page} loses ${percent}% of its words ${where[place]} (${loss.of - loss.words} of ${loss.of} are shown)`
}

function describeOthers(lossy: readonly Lossy[], { page }: Lossy): string {
  const count = new Set(lossy.map(each => each.page).filter(other => other !== page)).size
  if (count === 0) return ''
  return count === 1 ? ', and 1 more page loses text' : `, and ${count} more pages lose text`
}
