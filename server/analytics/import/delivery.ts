import { envelopes } from '../envelopes/envelopes.ts'
import { type LogReading, type LogSettings, toLogReading } from '../envelopes/log-settings.ts'
import { formats } from '../formats/formats.ts'
import { LogFormatError } from '../formats/log-format.ts'
import { isPattern } from '../formats/pattern-format.ts'
import { findCodecOfEncoding } from './decompress.ts'
import type { UnreadableReason } from './import-tally.ts'

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

/** Lines that cannot be read, by the reason, see `ImportTally.malformed`. */
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

/** @throws {DeliveryRefusedError} when the encoding is unknown, or a setting is wrong. */
export function checkDelivery({ encoding, settings = {} }: Delivery): LogReading {
  if (!isIdentity(encoding) && !findCodecOfEncoding(encoding)) {
    throw new DeliveryRefusedError('unsupported-encoding', 'Content-Encoding must be gzip, zstd or identity.')
  }
  const { format, envelope, jsonFields, clientField, trustedProxies } = settings
  const names = [...formats.map(({ name }) => name), 'json']
  if (format !== undefined && !isPattern(format) && !names.includes(format)) {
    throw wrongSettings(`format must be one of: ${names.join(', ')}.`)
  }
  if (format !== undefined && (format === 'json') !== (jsonFields !== undefined)) {
    throw wrongSettings('format json needs jsonFields, and no other format can have them.')
  }
  if (trustedProxies !== undefined && clientField === undefined) {
    throw wrongSettings('trustedProxies needs clientField: it counts the addresses of that field.')
  }
  const envelopeNames = [...envelopes.map(({ name }) => name), 'none']
  if (envelope !== undefined && !envelopeNames.includes(envelope)) {
    throw wrongSettings(`envelope must be one of: ${envelopeNames.join(', ')}.`)
  }
  try {
    return toLogReading(settings)
  } catch (error) {
    throw explainFormat(error)
  }
}

/** Whether a delivery is not compressed, by its Content-Encoding. */
export function isIdentity(encoding: string | undefined): encoding is '' | 'identity' | undefined {
  return encoding === undefined || encoding === '' || encoding === 'identity'
}

function wrongSettings(message: string): DeliveryRefusedError {
  return new DeliveryRefusedError('wrong-settings', message)
}

/** Makes a refusal of an error of the settings, with the name that the setting has in the address. Other errors stay. */
export function explainFormat(error: unknown): unknown {
  if (!(error instanceof LogFormatError)) return error
  const name = error.setting?.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return wrongSettings(name === undefined ? error.reason : `${name} ${error.reason}`)
}
