import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Span } from '../model/resource.ts'

/** A file to which one thread appends pages. */
export interface Spool {
  /** @param text one character per byte. */
  append(text: string): Span
  close(): void
}

/** Creates a spool. Its file is created with the first page. */
export function createSpool(file: string): Spool {
  let descriptor: number | null = null
  let end = 0
  return {
    append(text) {
      if (descriptor === null) {
        mkdirSync(dirname(file), { recursive: true })
        descriptor = openSync(file, 'w')
      }
      const bytes = Buffer.from(text, 'latin1')
      const start = end
      for (let written = 0; written < bytes.length; )
        written += writeSync(descriptor, bytes, written, undefined, start + written)
      end += bytes.length
      return { file, start, sizeBytes: bytes.length }
    },
    close() {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

export async function readSpan({ file, start, sizeBytes }: Span): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes), 0, sizeBytes, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Reads spans synchronously. Files stay open until `close`. */
export interface SpanReader {
  read(span: Span): Buffer
  close(): void
}

export function createSpanReader(): SpanReader {
  const descriptors = new Map<string, number>()
  return {
    read({ file, start, sizeBytes }) {
      const descriptor = descriptors.get(file) ?? openSync(file, 'r')
      descriptors.set(file, descriptor)
      const bytes = Buffer.allocUnsafe(sizeBytes)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, sizeBytes, start))
    },
    close() {
      for (const descriptor of descriptors.values()) closeSync(descriptor)
      descriptors.clear()
    },
  }
}
