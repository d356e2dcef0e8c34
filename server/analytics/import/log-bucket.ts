/** An object of a bucket, as a listing tells it. */
export interface LogObject {
  key: string
  sizeBytes: number
  /** Milliseconds since 1970 by the clock of the storage. */
  modifiedAtMs: number
  /** Changes with the bytes of the object. */
  etag: string
}

/** The objects of a bucket whose keys begin with a prefix, each of which is a log. */
export interface LogBucket {
  /**
   * Lists the objects that are not empty, in the order of their keys.
   *
   * @param after only larger keys; empty = all.
   * @throws {OperatorError} when the bucket cannot be listed.
   */
  list(after: string): AsyncIterable<LogObject>
  /** @throws {LogObjectError} when the object cannot be read, or cannot be read to its end. */
  read(object: LogObject): AsyncGenerator<Buffer>
  /** Returns the address of an object for messages. */
  nameOf(object: LogObject): string
  close(): void
}

/** Why an object could not be read. */
export class LogObjectError extends Error {
  /** Whether another try is in vain. */
  readonly isLasting: boolean
  constructor(message: string, isLasting: boolean) {
    super(message)
    this.isLasting = isLasting
  }
}

/** Whether the name of a log is the address of a bucket. */
export function isBucketAddress(file: string): boolean {
  return file.startsWith('s3://')
}
