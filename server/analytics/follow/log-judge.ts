import type { LogEvidence } from '../import/log-evidence.ts'
import type { LogReader } from '../import/log-reader.ts'
import { findSuspicions, type Suspicion, type SuspicionCode, thresholds } from '../import/suspicions.ts'

/** The lines of the current file so far; see `LogReader`. */
type JudgedLines = Pick<LogReader, 'missingFields'> & { evidence: LogEvidence }

type Note = 'nul' | 'fields'

/** Warns about a followed log whose counts may be wrong, once per file and reason. */
export class LogJudge {
  readonly #log: string
  readonly #warn: (message: string) => void
  /** Reasons and notes that were reported for the current file. */
  readonly #reported = new Set<SuspicionCode | Note>()
  readonly #suspicions = new Map<SuspicionCode, Suspicion>()

  constructor(log: string, warn: (message: string) => void) {
    this.#log = log
    this.#warn = warn
  }

  /** The latest suspicion of each kind. */
  get suspicions(): Suspicion[] {
    return [...this.#suspicions.values()]
  }

  /** Judges the lines of the current file so far. */
  judge({ evidence, missingFields }: JudgedLines): void {
    for (const suspicion of findSuspicions(evidence, true)) {
      this.#suspicions.set(suspicion.code, suspicion)
      this.#report(suspicion.code, `${suspicion.message} [${suspicion.code}]`)
    }
    if (missingFields.length > 0 && evidence.lines >= thresholds.growingLines) {
      this.#report('fields', `the lines lack ${missingFields.join(', ')}.`)
    }
    if (evidence.nulBytes > 0) {
      this.#report('nul', `${evidence.nulBytes} NUL bytes before lines skipped, as copytruncate leaves them.`)
    }
  }

  /** Begins another file, which may be warned about again. */
  startFile(): void {
    this.#reported.clear()
  }

  #report(reason: SuspicionCode | Note, message: string): void {
    if (this.#reported.has(reason)) return
    this.#reported.add(reason)
    this.#warn(`${this.#log}: ${message}`)
  }
}
