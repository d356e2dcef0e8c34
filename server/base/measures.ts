/**
 * Something that parts of a server tell while they work. It does nothing while nobody listens. There is one object for each in a process,
 * so that a value needs no path through the layers between the part and its listener.
 */
class Measure<Value> {
  readonly #listeners = new Set<(value: Value) => void>()

  /** Whether a value would be used. */
  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  tell(value: Value): void {
    for (const listener of this.#listeners) listener(value)
  }

  /** Returns a function that ends the listening. */
  listen(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

export interface EndedRequest {
  /** The id of an operation; undefined = a page, a bundle, or what monitors ask. */
  operation: string | undefined
  /** 499 = the client left. */
  status: number
  seconds: number
  /** The code of the error; undefined = none was answered. */
  code: string | undefined
  /** The name of the rate limit that the request was counted against. */
  budget: string | undefined
}
export const endedRequests = new Measure<EndedRequest>()

export interface EndedExport {
  result: 'completed' | 'failed' | 'given back'
  /** The code of the error, `internal` for one without a code; empty = there was none. */
  reason: string
  seconds: number
}
export const endedExports = new Measure<EndedExport>()

/** A statement that a database ran. SQLite tells only those of databases that were opened while somebody listened. */
export interface EndedStatement {
  /** The text, which has `$1` or `@name` in place of each value. */
  text: string
  ms: number
}
export const endedStatements = new Measure<EndedStatement>()

/** Log lines that another program sent. */
export interface ReceivedLines {
  counted: number
  unreadable: readonly { reason: string; count: number }[]
}
export const receivedLines = new Measure<ReceivedLines>()

/** The state of a log that is followed, since the process started to follow it. */
export interface FollowedState {
  /** The path, as the operator named it. */
  log: string
  lines: number
  views: number
  unreadable: Readonly<Record<string, number>>
  /** Bytes of the log that are not read yet; undefined = unknown, as of a bucket. */
  aheadBytes: number | undefined
}
export const followedStates = new Measure<FollowedState>()

/** The outcomes of looks for a new bundle: `failed`, or what the updater answered. */
export const hostUpdates = new Measure<string>()

/** Whether an export could start the browser. */
export const browserStarts = new Measure<boolean>()
