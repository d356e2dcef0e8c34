/**
 * Why a store cannot be used for now: another process holds its lock, its disk is full, its server does not answer or only
 * reads, the storage of the bundles does not do what it is asked, or too much work waits.
 */
export type UnavailableReason = 'locked' | 'full' | 'unreachable' | 'read-only' | 'storage' | 'busy'

const sentences: Record<UnavailableReason, (code: string) => string> = {
  locked: () => 'The database is locked by another process.',
  full: () => 'The disk is full.',
  unreachable: () => 'The database cannot be reached.',
  'read-only': () => 'The database is read-only.',
  busy: () => 'Too much work is waiting.',
  storage: code => `The storage of the bundles cannot be used (${code}).`,
}

/** A store cannot be used for now. The failed call changed nothing, so the caller may repeat it. */
export class UnavailableError extends Error {
  readonly reason: UnavailableReason
  /** The code of the database or of the storage, such as SQLITE_BUSY or ECONNREFUSED, or what is too much. */
  readonly code: string
  constructor(reason: UnavailableReason, code: string, options?: ErrorOptions) {
    super(sentences[reason](code), options)
    this.name = 'UnavailableError'
    this.reason = reason
    this.code = code
  }
}
