import {
  DeliveryRefusedError,
  damaged,
  noSite,
  type ReceivedVisits,
  tooLarge,
  unknownEncoding,
  type VisitsReceiver,
} from '../../../server/analytics/import/delivery.ts'
import { world } from './access.ts'

/** As the server has without other settings. */
export const maxVisitsBytes = 16 * 1024 * 1024
const maxUnpackedBytes = 20 * maxVisitsBytes
/** So the memory has a bound. */
const maxKnownLines = 100_000

/**
 * Creates a receiver of log lines that reads no layout: it looks for the method of the request, and takes each different line for a page
 * view. The server needs half a megabyte of code and Node for what it reads.
 */
export function createVisitsReceiver(): VisitsReceiver {
  const known = new Set<string>()

  function count(line: string): 'counted' | 'known' {
    if (known.has(line)) return 'known'
    const [oldest] = known
    if (oldest !== undefined && known.size >= maxKnownLines) known.delete(oldest)
    known.add(line)
    return 'counted'
  }

  return {
    async receive({ target, encoding = 'identity' }, body) {
      const isByHost = 'organizationId' in target
      if (isByHost && target.organizationId !== world.organizationId) throw noSite()
      const lines = readLines(await readText(encoding, body))
      const received: ReceivedVisits = {
        lines: lines.length,
        counted: 0,
        known: 0,
        tooOld: 0,
        filtered: 0,
        unreadable: [],
      }
      let unreadable = 0
      for (const line of lines) {
        const method = findMethod(line)
        if (method === undefined) unreadable++
        else if (method !== 'GET' || (isByHost && !line.includes(world.domain))) received.filtered++
        else received[count(line)]++
      }
      if (unreadable > 0) received.unreadable = [{ reason: 'wrong-format', count: unreadable }]
      return received
    },
  }
}

/** Returns the method of the request that a line is about; undefined = the line cannot be read. */
function findMethod(line: string): string | undefined {
  return /\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/.exec(line)?.[0]
}

/** Returns the lines of a text, or the records of a JSON array, as the server takes them. */
function readLines(text: string): string[] {
  if (!/^\s*\[\s*["{\]]/.test(text)) return text === '' ? [] : text.replace(/\n$/, '').split('\n')
  try {
    return JSON.parse(text).map((record: unknown) => (typeof record === 'string' ? record : JSON.stringify(record)))
  } catch {
    throw new DeliveryRefusedError('damaged', 'The JSON array is cut off or damaged.')
  }
}

async function readText(encoding: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of body) chunks.push(chunk as Uint8Array<ArrayBuffer>)
  const sent = new Blob(chunks)
  const codec = ['', 'identity'].includes(encoding) ? await findCodec(sent) : encoding.replace(/^x-/, '')
  if (codec === undefined) return sent.text()
  if (codec !== 'gzip' && codec !== 'zstd') throw unknownEncoding()
  // No browser can read it.
  if (codec === 'zstd') throw new DeliveryRefusedError('unsupported-encoding', 'The mock cannot read zstd. Send gzip.')
  const unpacked = sent.stream().pipeThrough(new DecompressionStream(codec)).pipeThrough(createLimit())
  try {
    return await new Response(unpacked).text()
  } catch (error) {
    throw error instanceof DeliveryRefusedError ? error : damaged(codec)
  }
}

/** Returns the compression that the first bytes show. */
async function findCodec(body: Blob): Promise<'gzip' | 'zstd' | undefined> {
  const [first, second] = new Uint8Array(await body.slice(0, 2).arrayBuffer())
  if (first === 0x1f && second === 0x8b) return 'gzip'
  return first === 0x28 && second === 0xb5 ? 'zstd' : undefined
}

function createLimit(): TransformStream<Uint8Array, Uint8Array> {
  let sizeBytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      sizeBytes += chunk.length
      if (sizeBytes > maxUnpackedBytes) throw tooLarge(`${maxUnpackedBytes} bytes after decompression`)
      controller.enqueue(chunk)
    },
  })
}
