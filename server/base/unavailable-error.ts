/** Why a store cannot be used for now: another process holds its lock, its disk is full, or its server does not answer. */
export type UnavailableReason = 'locked' | 'full' | 'unreachable'

const sentences: Record<UnavailableReason, string> = {
  locked: 'The database is locked by another process.',
  full: 'The disk is full.',
  unreachable: 'The database cannot be reached.',
}

/** A store cannot be used for now. The failed call changed nothing, so the caller may repeat it. */
export class UnavailableError extends Error {
  readonly reason: UnavailableReason
  /** The code of the database, such as SQLITE_BUSY. */
  readonly code: string
  constructor(reason: UnavailableReason, code: string, options?: ErrorOptions) {
    super(sentences[reason], options)
    this.name = 'UnavailableError'
    this.reason = reason
    this.code = code
  }
}
