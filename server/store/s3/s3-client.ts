import type { OnReadOpts, Socket } from 'node:net'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { OperatorError } from '../../base/operator-error.ts'
import type { S3Location } from './s3-location.ts'

/** What a client is used for. A download takes as long as the client of the server reads, and may pause. */
type ClientUse = 'downloads' | 'everything else'

export interface ClientLimits {
  /** A request that gets no connection for 5 s fails. The SDK repeats it twice, and then the server answers 503. */
  maxSockets?: number
  /** How long the storage may neither take nor send a byte, or, for a download, not answer. */
  maxSilenceMs?: number
}

/** Returns the settings of a client. Credentials come from the environment, as in all programs of AWS. */
export function toClientConfig(
  { endpoint, region, isPathStyle }: S3Location,
  use: ClientUse,
  { maxSockets = 1000, maxSilenceMs = 60_000 }: ClientLimits = {},
): S3ClientConfig {
  const agent = { maxSockets, ...(use === 'downloads' && { onread: readIntoOneBuffer() }) }
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: isPathStyle,
    // Storage of other vendors does not know the newer checksums. The signature of each part covers its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5000,
      // A request that sends or gets bytes may take longer, such as a part over a slow line.
      ...(use === 'downloads'
        ? { requestTimeout: maxSilenceMs, throwOnRequestTimeout: true }
        : { socketTimeout: maxSilenceMs }),
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
}

/**
 * Returns the setting of an agent with which all its sockets read into one buffer. A socket reads into a new buffer each time otherwise,
 * and V8 collects them late: up to 50 MB of them are garbage during a download.
 *
 * The HTTP parser of Node copies a body out of what it is given, so the buffer is free as soon as the listeners return.
 */
export function readIntoOneBuffer(): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(64 * 1024),
    callback(this: Socket, bytes: number, buffer: Uint8Array) {
      this.emit('data', buffer.subarray(0, bytes))
      return true
    },
  }
}

const packages = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/s3-request-presigner']

/**
 * Loads the SDK, which only those install who use S3.
 *
 * @throws {OperatorError} when its packages are not installed.
 */
export async function loadSdk() {
  try {
    const [sdk, { Upload }, { getSignedUrl }] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/lib-storage'),
      import('@aws-sdk/s3-request-presigner'),
    ])
    return { ...sdk, Upload, getSignedUrl }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new OperatorError(
      `s3:// needs the packages ${packages.join(', ')}, which are not installed. ` +
        'In a clone of Quire, run: npm ci. If npm installed Quire globally, run: npm install --global ' +
        packages.map(name => `${name}@3`).join(' '),
    )
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>
