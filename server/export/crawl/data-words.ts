import { gunzipSync } from 'node:zlib'

/** Max words read from one file. */
export const maxWords = 50_000
const maxDataBytes = 8 * 1024 ** 2

/** Returns the words of a data file that may be part of a file name, without duplicates, in file order. */
export function dataWords(bytes: Buffer): string[] {
  const text = unzip(bytes).toString('latin1')
  const words = new Set<string>()
  const isJson = /^\s*[[{]/.test(text)
  for (const word of isJson ? jsonWords(text) : binaryWords(text)) if (words.size < maxWords) words.add(word)
  return [...words]
}

function* jsonWords(text: string): Generator<string> {
  for (const [, word = ''] of text.matchAll(/"([\w.@-]{1,64})"/g)) yield word
}

function* binaryWords(text: string): Generator<string> {
  const runs = text.match(/[\w-]{6,64}/g) ?? []
  const isCounted = runs.filter(run => countedStrings(run)[0]?.length === run.length - 1).length > runs.length / 2
  for (const run of runs) {
    if (isCounted) yield* countedStrings(run)
    // In other binary data, only a hash can be distinguished from random letters.
    else if (/\d/.test(run) && /[a-z]/i.test(run)) yield run
  }
}

/**
 * Returns the strings that may end a run of letters, the longest first. In CBOR (RFC 8949, 3), the byte before a short
 * string gives its length and is a letter. Other strings may precede that letter, and a letter may match the length by
 * chance.
 */
function countedStrings(run: string): string[] {
  const found: string[] = []
  for (let at = 0; at < run.length - 4; at += 1) {
    const isCount = run.charCodeAt(at) - 0x60 === run.length - at - 1
    if (isCount && /[a-z0-9]/i.test(run.charAt(at + 1))) found.push(run.slice(at + 1))
    if (isCount && at === 0) break
  }
  return found
}

function unzip(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxDataBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
