import { createCipheriv, createHash } from 'node:crypto'

/** The seed of all random input in tests: the same in each run, unless QUIRE_TEST_SEED is set. */
export const seed = readSeed(process.env.QUIRE_TEST_SEED)

/** Reads QUIRE_TEST_SEED: a whole number, or `random` for a new seed; undefined = the default seed. */
export function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return 20_251
  if (text === 'random') return Date.now() % 2 ** 31
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text)
  throw new Error(`QUIRE_TEST_SEED=${text}: give a whole number below 2147483648, or random.`)
}

/** Returns a function like Math.random with a fixed seed. Each name has an independent sequence. */
export function createRandom(name: string): () => number {
  const bytes = createBytes(name)
  return () => bytes(4).readUInt32LE() / 2 ** 32
}

/** Creates incompressible bytes, always the same for a seed and a name. */
export function createRandomBytes(name: string, count: number): Buffer {
  return createBytes(name)(count)
}

function createBytes(name: string): (count: number) => Buffer {
  const key = createHash('sha256').update(`${seed} ${name}`).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return count => cipher.update(Buffer.alloc(count))
}
