import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { OperatorError } from '../../base/operator-error.ts'

/** Where the files of a release are: a folder, or an address below which they are served. */
export interface ReleaseSource {
  /** Reads a small file. */
  read(name: string): Promise<Buffer>
  /** Writes a file to a new one, and returns its SHA-256 in hex. */
  copy(name: string, target: string): Promise<string>
}

const maxSmallBytes = 1024 ** 2
const maxProgramBytes = 1024 ** 3
const downloadTimeoutMs = 30 * 60_000

/** Opens a release. Its files may be hostile until they are verified. */
export function openReleaseSource(from: string): ReleaseSource {
  const isAddress = /^https?:\/\//i.test(from)
  const toPlace = (name: string) => (isAddress ? `${from.replace(/\/$/, '')}/${name}` : join(from, name))
  const openFile = async (name: string) => (isAddress ? download(toPlace(name)) : createReadStream(toPlace(name)))
  return {
    async read(name) {
      const parts: Buffer[] = []
      for await (const part of readLimited(await openFile(name), toPlace(name), maxSmallBytes)) parts.push(part)
      return Buffer.concat(parts)
    },
    async copy(name, target) {
      const hash = createHash('sha256')
      const file = await open(target, 'wx', 0o755)
      try {
        for await (const part of readLimited(await openFile(name), toPlace(name), maxProgramBytes)) {
          hash.update(part)
          await file.writeFile(part)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      return hash.digest('hex')
    },
  }
}

async function download(url: string): Promise<Readable> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(downloadTimeoutMs) }).catch((error: Error) => {
    const { cause } = error as { cause?: { code?: string } }
    throw new OperatorError(`${url} cannot be fetched (${cause?.code ?? error.message}).`, 1, { cause: error })
  })
  if (!answer.ok || !answer.body) throw new OperatorError(`${url} was answered with ${answer.status}.`)
  return Readable.fromWeb(answer.body as ReadableStream)
}

/** @throws {OperatorError} naming the file, when it cannot be read or is larger than a release has it. */
async function* readLimited(stream: Readable, name: string, maxBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  try {
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += part.length
      if (sizeBytes > maxBytes) throw new OperatorError(`${name} is larger than that file of a release can be.`)
      yield Buffer.from(part)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new OperatorError(`${name} cannot be read (${code ?? message}).`, 1, { cause: error })
  }
}
