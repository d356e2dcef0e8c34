import { spawnSync } from 'node:child_process'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startGate } from './gate.ts'
import { findOnDemand } from './on-demand.ts'
import { credentials } from './s3/start-swift.ts'

/** S3-compatible storage out of Debian packages: it checks signatures, and knows multipart uploads, ranges and expiry. */
export interface S3Server {
  endpoint: string
  /** What a process needs in its environment to use it. */
  credentials: typeof credentials
  client: S3Client
  dispose(): Promise<void>
}

/** A storage as its users see it, which a test can make unreachable. */
export interface UnsteadyS3Server extends S3Server {
  /** Ends all connections and refuses others, as after a crash. The data stays. */
  stop(): Promise<void>
  start(): Promise<void>
}

const programs = [
  'swift-proxy-server',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'memcached',
]

/** Why the tests of S3 are skipped; undefined = they run. */
export function whyNoS3Server(): string | undefined {
  const lacking = programs.concat('swift-ring-builder').filter(name => spawnSync('which', [name]).status !== 0)
  if (lacking.length === 0 && process.getuid?.() === 0) return undefined
  return 'needs root and: apt-get install --no-install-recommends swift-proxy swift-account swift-container swift-object memcached'
}

/**
 * Creates a bucket in the storage of this test run, and puts the credentials into the environment of this process. Each file
 * and project of a run needs another name. The caller disposes of it.
 */
export async function createS3Bucket(Bucket: string): Promise<S3Server> {
  return useBucket(Bucket, await findEndpoint())
}

/** Creates a bucket like `createS3Bucket`, in a storage that only seems to be down when the test stops it. */
export async function createUnsteadyS3Bucket(Bucket: string): Promise<UnsteadyS3Server> {
  const behind = await findEndpoint()
  let gate = await startGate(behind)
  const { url } = gate
  const server = await useBucket(Bucket, url)
  return {
    ...server,
    stop: () => gate.close(),
    async start() {
      gate = await startGate(behind, { port: Number(new URL(url).port) })
    },
    async dispose() {
      await server.dispose()
      await gate.close()
    },
  }
}

async function findEndpoint(): Promise<string> {
  // Only here, because Dredd uses the servers of the tests without vitest.
  const { inject } = await import('vitest')
  return (await findOnDemand<{ endpoint: string }>(inject('s3Url'))).endpoint
}

async function useBucket(Bucket: string, endpoint: string): Promise<S3Server> {
  Object.assign(process.env, credentials)
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket }))
  return {
    endpoint,
    credentials,
    client,
    async dispose() {
      client.destroy()
      for (const name of Object.keys(credentials)) delete process.env[name]
    },
  }
}
