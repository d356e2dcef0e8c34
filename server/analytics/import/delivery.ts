// Without the code that reads lines, because the handlers run in browsers too, as the mock.
import type { LogSettings } from '../envelopes/log-settings.ts'

/** Where the visits of a delivery belong: to one project, or to the projects of an organization whose sites have their hosts. */
export type VisitsTarget = { projectId: string } | { organizationId: string }

/** Lines of an access log that another program sends, without their bytes. It is plain data, so that a thread can get it. */
export interface Delivery {
  target: VisitsTarget
  /** The Content-Encoding: gzip, zstd, identity; undefined = none, and gzip and zstd are recognized by their first bytes. */
  encoding?: string | undefined
  /** How the lines are read; what is missing is detected, for each delivery. */
  settings?: LogSettings | undefined
}

/** A delivery, and its body. */
export interface SentDelivery {
  delivery: Delivery
  pieces: readonly Buffer[]
}

/**
 * Why a line cannot be read: `wrong-format` = not in the format of the log, `bad-address` = has no client, see `Clients`, `bad-date` =
 * invalid, before 2000 or more than a day in the future, `bad-path` = see `toPage`, `too-long` = over 64 KiB.
 */
export type UnreadableReason = 'wrong-format' | 'bad-address' | 'bad-date' | 'bad-path' | 'too-long'

/** Lines that cannot be read, by the reason. */
export interface UnreadableLines {
  reason: UnreadableReason
  count: number
  /** The first of these lines, shortened; missing when it is too long. */
  example?: string
}

/** What became of the lines of a delivery. `lines` is the sum of all other counts. */
export interface ReceivedVisits {
  lines: number
  /** Lines that added a page view of a visitor on a day. */
  counted: number
  /** Lines whose page view was already counted, by this delivery or before it. */
  known: number
  /** Lines of days whose visitors were pruned, or whose key was destroyed. */
  tooOld: number
  /** Lines that are no page view of a visitor, such as assets, errors, other programs, and hosts without a registered site. */
  filtered: number
  unreadable: UnreadableLines[]
}

/** Receives log lines from other programs. */
export interface VisitsReceiver {
  /**
   * Counts the visits, which are safe on disk when the call settles. The same delivery again changes nothing. Lines that cannot be
   * read are only counted.
   *
   * @throws {DeliveryRefusedError} when the delivery is wrong and cannot be counted.
   * @throws {UnavailableError} when the delivery can be sent again later: the disk is full, the database is locked, or too many
   * deliveries wait.
   */
  receive(delivery: Delivery, body: AsyncIterable<Uint8Array>): Promise<ReceivedVisits>
}

/**
 * Why a delivery is refused. `unsupported-encoding` = 415, `too-large` = 413 in HTTP, `no-project` = the project does not exist,
 * `no-site` = the organization has no site, `wrong-settings` = they contradict each other or the lines, `damaged` = the compressed
 * bytes or the JSON are not complete.
 */
export type DeliveryRefusal =
  | 'unsupported-encoding'
  | 'too-large'
  | 'no-project'
  | 'no-site'
  | 'wrong-settings'
  | 'damaged'

/** A delivery that cannot be counted. The message is for its sender. */
export class DeliveryRefusedError extends Error {
  readonly refusal: DeliveryRefusal

  constructor(refusal: DeliveryRefusal, message: string) {
    super(message)
    this.refusal = refusal
  }
}

/** The refusal of an encoding that is not supported. */
export function unknownEncoding(): DeliveryRefusedError {
  return new DeliveryRefusedError('unsupported-encoding', 'Content-Encoding must be gzip, zstd or identity.')
}

/** The refusal of a delivery that cannot be decompressed. `codec` is the name of the compression. */
export function damaged(codec: string): DeliveryRefusedError {
  return new DeliveryRefusedError('damaged', `The ${codec} data is cut off or damaged.`)
}

/** The refusal of a delivery that is over a limit. `size` is the limit with its unit. */
export function tooLarge(size: string): DeliveryRefusedError {
  return new DeliveryRefusedError('too-large', `The delivery has over ${size}. Send fewer lines at once.`)
}

/** The refusal of lines by host, of an organization without a site. */
export function noSite(): DeliveryRefusedError {
  return new DeliveryRefusedError(
    'no-site',
    'The organization has no site, so hosts cannot be matched. Register the site, or name a project.',
  )
}
