import { hash } from 'node:crypto'

/** Ids have 48 bits: exact in a number, and so many that two of a million pages share one in a project of 500. */
const idBits = 48
const lastId = 2 ** idBits - 1

/**
 * The id of a page in blocks of counters: the first 48 bits of the SHA-256 of its path, 1 in place of 0, which is the site.
 * When another page has it, the next one that is free.
 */
export function toPageId(path: string, isTaken: (id: number) => boolean): number {
  const digest = hash('sha256', path, 'buffer')
  let id = digest.readUIntBE(0, idBits / 8)
  while (id === 0 || isTaken(id)) id = id === lastId ? 1 : id + 1
  return id
}
