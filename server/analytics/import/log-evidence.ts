import type { FormatVerdict } from './format-window.ts'
import { type ImportTally, sum } from './import-tally.ts'
import { type UnreadLines, UnreadSample } from './unread-sample.ts'
import { ViewEvidence } from './view-evidence.ts'

/** What is known about one log. `findSuspicions` judges it. */
export interface LogEvidence {
  lines: number
  filtered: ImportTally['filtered']
  malformed: ImportTally['malformed']
  /** Page views: human, AI and neither. */
  views: number
  /** Page views of people and AI. */
  visitorViews: number
  /** Whether a field that lists the client is set. */
  hasClientField: boolean
  /** The other format of lines that could not be read; undefined = they are in none. */
  unread: UnreadLines | undefined
  /** NULs that were skipped before lines. */
  nulBytes: number
  isUtf16: boolean
  /** The result of the format detection; undefined when the format was given, or too few lines were read so far. */
  detection: Detection | undefined
  viewed: Readonly<Omit<ViewEvidence, 'countView' | 'countVisitor'>>
}

/** The format of the first lines; without `format`, none was recognized. */
export type Detection = Pick<FormatVerdict, 'lines' | 'readLines' | 'other'> & { format: string | undefined }

/** What the reader of the lines knows. */
export type ReadLines = Pick<LogEvidence, 'nulBytes' | 'isUtf16' | 'detection' | 'hasClientField'>

/** Collects the evidence about the log that is being read. */
export class EvidenceCollector {
  readonly viewed = new ViewEvidence()
  readonly unread = new UnreadSample()
  readonly #before: ImportTally
  readonly #nulBytesBefore: number
  /** @param before the counts of all earlier logs */
  constructor(before: ImportTally, nulBytesBefore: number) {
    this.#before = before
    this.#nulBytesBefore = nulBytesBefore
  }

  /** @param tally the counts of all logs so far */
  summarize(tally: ImportTally, { nulBytes, isUtf16, detection, hasClientField }: ReadLines): LogEvidence {
    const before = this.#before
    return {
      lines: tally.lines - before.lines,
      filtered: subtract(tally.filtered, before.filtered),
      malformed: subtract(tally.malformed, before.malformed),
      views: sum(tally.views) - sum(before.views),
      visitorViews: countVisitorViews(tally) - countVisitorViews(before),
      hasClientField,
      unread: this.unread.detect(),
      nulBytes: nulBytes - this.#nulBytesBefore,
      isUtf16,
      detection,
      viewed: this.viewed,
    }
  }
}

function countVisitorViews({ views: { human, ai } }: ImportTally): number {
  return human + ai
}

function subtract<Counts extends Readonly<Record<string, number>>>(counts: Counts, before: Counts): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, count - (before[name] as number)]),
  ) as Counts
}
