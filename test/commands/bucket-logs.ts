import { gzipSync, zstdCompressSync } from 'node:zlib'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { toLine } from '../analytics/follow/numbered-lines.ts'

/** Which object of how many lines; `number` is its first line. */
interface PutLog {
  key: string
  number: number
  lines?: number
}

/** Stores an object with lines of visitors that no other object has, in turn as gzip, zstd and plain text. */
export async function putLog(client: S3Client, Bucket: string, { key, number, lines = 1 }: PutLog): Promise<void> {
  const text = Array.from({ length: lines }, (_, i) => toLine(number + i)).join('')
  const Body = number % 3 === 0 ? gzipSync(text) : number % 3 === 1 ? zstdCompressSync(text) : text
  await client.send(new PutObjectCommand({ Bucket, Key: key, Body }))
}

/** Calls `work` for the numbers below `count`, 16 at once. */
export async function forEachNumber(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const take = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 16 }, take))
}

/** The key of the log of an hour, as CloudFront names it. */
export function toHourKey(distribution: string, hour: number, part = 0): string {
  const at = new Date(Date.UTC(2026, 9, 1) + hour * 3_600_000).toISOString()
  return `${distribution}.${at.slice(0, 10)}-${at.slice(11, 13)}.${part.toString(16).padStart(8, '0')}.gz`
}
