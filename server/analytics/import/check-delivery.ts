import { envelopes } from '../envelopes/envelopes.ts'
import { type LogReading, toLogReading } from '../envelopes/log-reading.ts'
import { formats } from '../formats/formats.ts'
import { LogFormatError } from '../formats/log-format.ts'
import { isPattern } from '../formats/pattern-format.ts'
import { findCodecOfEncoding } from './decompress.ts'
import { type Delivery, DeliveryRefusedError, unknownEncoding } from './delivery.ts'

/** @throws {DeliveryRefusedError} when the encoding is unknown, or a setting is wrong. */
export function checkDelivery({ encoding, settings = {} }: Delivery): LogReading {
  if (!isIdentity(encoding) && !findCodecOfEncoding(encoding)) throw unknownEncoding()
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
