/** Why a store cannot be used for now: another process holds its lock, or its disk is full. */
export type UnavailableReason = 'locked' | 'full'

/** A store cannot be used for now. The failed call changed nothing, so the caller may repeat it. */
export class UnavailableError extends Error {
  readonly reason: UnavailableReason
  /** The code of the database, such as SQLITE_BUSY. */
  readonly code: string
  constructor(reason: UnavailableReason, code: string, options?: ErrorOptions) {
    super(reason === 'full' ? 'The disk is full.' : 'The database is locked by another process.', options)
    this.name = 'UnavailableError'
    this.reason = reason
    this.code = code
  }
}
