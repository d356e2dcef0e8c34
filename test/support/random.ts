import { createCipheriv, createHash } from 'node:crypto'

/** What all random input of the tests is made from: the same in each run, unless QUIRE_TEST_SEED says otherwise. */
export const seed = readSeed(process.env.QUIRE_TEST_SEED)

/** Reads QUIRE_TEST_SEED: a whole number, `random` for a new one, undefined for the usual one. */
export function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return 20_251
  if (text === 'random') return Date.now() % 2 ** 31
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text)
  throw new Error(`QUIRE_TEST_SEED=${text}: give a whole number below 2147483648, or random.`)
}

/** Returns a function like Math.random whose numbers follow from the seed. A name gives a sequence that others do not shift. */
export function createRandom(name: string): () => number {
  const bytes = createBytes(name)
  return () => bytes(4).readUInt32LE() / 2 ** 32
}

/** Bytes that do not compress, the same ones for the same seed and name. */
export function createRandomBytes(name: string, count: number): Buffer {
  return createBytes(name)(count)
}

function createBytes(name: string): (count: number) => Buffer {
  const key = createHash('sha256').update(`${seed} ${name}`).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return count => cipher.update(Buffer.alloc(count))
}
