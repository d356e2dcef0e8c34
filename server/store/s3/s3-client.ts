import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { OperatorError } from '../../base/operator-error.ts'
import type { S3Location } from './s3-location.ts'

/** More downloads at once wait for each other. */
const maxSockets = 1000

/** Returns the settings of a client. Credentials come from the environment, as in all programs of AWS. */
export function toClientConfig({ endpoint, region, isPathStyle }: S3Location): S3ClientConfig {
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: isPathStyle,
    // Storage of other vendors does not know the newer checksums. The signature of each part covers its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
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
      `--bundles with s3:// needs the packages ${packages.join(', ')}, which are not installed. ` +
        'In a clone of Quire, run: npm ci. If npm installed Quire globally, run: npm install --global ' +
        packages.map(name => `${name}@3`).join(' '),
    )
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>
